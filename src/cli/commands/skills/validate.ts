import { DetentError } from '../../../protocol/error.ts';
import { builtinToolsets, optionalTools } from '../../../tools/registry/toolsets.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { out, printable, say } from '../../terminal/say.ts';

/** `detent skills validate DIR`: ends with 0 when every file can be loaded. */
export async function validateSkills(words: readonly string[], flags: Flags): Promise<number> {
  const folder = word(words, 0, 'DIR');
  const { tools: { define = [] } = {} } = await loadOptions(flags);
  const { validateFolder } = await import('../../../skills/validate.ts');
  const known = new Set([
    ...Object.values(builtinToolsets).flat(),
    ...optionalTools,
    ...define.map(({ name }) => name),
  ]);
  const isKnown = (tool: string) => known.has(tool) || tool.startsWith('mcp__');
  const files = await validateFolder(folder, isKnown);
  if (files === null) throw new DetentError('NOT_FOUND', `there is no folder ${folder}`);
  if (flags.json) out(`${JSON.stringify(files)}\n`);
  else
    for (const { path, loads, warnings, errors } of files)
      out(
        printable(
          [
            `${loads ? (warnings.length > 0 ? 'warn' : 'ok  ') : 'bad '}  ${path}`,
            ...errors.map((error) => `        error: ${error}`),
            ...warnings.map((warning) => `        warning: ${warning}`),
            '',
          ].join('\n'),
        ),
      );
  if (files.length === 0) say(`detent: there is no SKILL.md in ${folder}`);
  return files.length > 0 && files.every(({ loads }) => loads) ? exit.ok : exit.failed;
}
