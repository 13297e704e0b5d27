import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import * as xstate from 'xstate';

const folder = join(import.meta.dirname, '../fixtures/charts');

/** The names of the fixtures' charts: workflow examples of the XState repository, unchanged. */
export const chartNames: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

interface ExampleCharts {
  workflow: AnyStateMachine;
  /** Of the one example that has it: invokes `workflow`. */
  parent: AnyStateMachine | null;
}

/**
 * The charts of one file, as they are written. The file itself would start an actor when it is imported, so only what
 * stands before that is evaluated.
 */
export function exampleCharts(name: string): ExampleCharts {
  const file = readFileSync(join(folder, name, 'main.ts'), 'utf8');
  const [charts = ''] = file.split(/^const actor = createActor\(/m);
  const code = stripTypeScriptTypes(charts)
    .replace(/^import\s+(\{[^}]*\}|\w+)\s+from\s+'([^']+)';/gm, "const $1 = modules['$2'];")
    .replace(/^export /gm, '');
  const load = new Function(
    'modules',
    `${code}\nreturn { workflow, parent: typeof parentWorkflow === 'undefined' ? null : parentWorkflow };`,
  );
  return load({ xstate, readline, cockatiel }) as ExampleCharts;
}

/** What the examples import beside XState. Their services, which use it, are never called. */
const readline = { createInterface: () => ({ question() {}, close() {} }) };
const cockatiel = {
  retry: () => ({ onRetry() {} }),
  handleWhen() {},
  ConstantBackoff: class {},
};
