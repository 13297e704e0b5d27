/**
 * Prints the parameters of the tools that come with Detent as JSON Schema, so that a start loads no zod.
 *
 *     node scripts/write-parameters.ts           # brings src/ports/printed-parameters.ts up to date
 *     node scripts/write-parameters.ts --check   # exit code 1 when it is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { sessionSearchTool } from '../src/memory/conversations/session-tool.ts';
import { memoryTools } from '../src/memory/tools.ts';
import type { LateSchema } from '../src/ports/late-parameters.ts';
import type { Tool } from '../src/ports/tool.ts';
import { skillTool } from '../src/skills/skill-tool.ts';
import { builtinTools } from '../src/tools/builtin/index.ts';
import { printedJsonSchema } from '../src/tools/registry/tool-spec.ts';

const file = new URL('../src/ports/printed-parameters.ts', import.meta.url);

if (import.meta.main) {
  const wanted = await printedSource();
  if (readFileSync(file, 'utf8') !== wanted) {
    if (process.argv.includes('--check')) {
      console.error('src/ports/printed-parameters.ts is out of date; run: node scripts/write-parameters.ts');
      process.exitCode = 1;
    } else writeFileSync(file, wanted);
  }
}

/** The module that has what is printed. */
export async function printedSource(): Promise<string> {
  const printed = await Promise.all(
    shippedTools().map(async ({ name, parameters }) => {
      const schema = await (parameters as LateSchema<unknown>).made();
      const { $schema, ...rest } = printedJsonSchema(schema);
      return [name, rest];
    }),
  );
  return `// Written by scripts/write-parameters.ts from the tools themselves; a test fails while it is out of date.
import type { JsonObject } from '../protocol/json.ts';

/** The parameters of each tool that comes with Detent, by its name. */
export const printedParameters: Readonly<Record<string, JsonObject>> = ${JSON.stringify(Object.fromEntries(printed), null, 2)};
`;
}

/** Without what they need to be called. */
function shippedTools(): Tool[] {
  const missing = {} as never;
  return [...builtinTools(), ...memoryTools(missing), sessionSearchTool(missing), skillTool(missing)];
}
