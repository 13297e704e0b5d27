import { exit } from '../../terminal/exit-codes.ts';
import { styled, type Text } from '../../terminal/styled.ts';
import type { Check, CheckStatus } from './check.ts';

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** One aligned line for each check, with its remedy below it. */
export function describeChecks(checks: readonly Check[]): Text {
  const width = Math.max(...checks.map(({ title }) => title.length));
  const lines = checks.flatMap(({ status, title, detail, remedy }) => [
    [styled(colours[status], status.padEnd(4)), `  ${title.padEnd(width)}  ${oneLine(detail)}\n`],
    ...(remedy === null ? [] : [`${' '.repeat(width + 8)}→ ${oneLine(remedy)}\n`]),
  ]);
  return [lines, '\n', summary(checks)];
}

function summary(checks: readonly Check[]): string {
  const count = (wanted: CheckStatus) => checks.filter(({ status }) => status === wanted).length;
  const [fails, warns] = [count('fail'), count('warn')];
  const failed = checks.filter(({ status }) => status === 'fail').map(({ title }) => title);
  if (fails + warns === 0) return `all ${checks.length} checks passed`;
  return [
    ...(fails > 0 ? [`${fails} of ${checks.length} checks failed (${failed.join(', ')})`] : []),
    ...(warns > 0 ? [`${warns} ${warns === 1 ? 'warning' : 'warnings'}`] : []),
  ].join(', ');
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}

/**
 * 0 without a failure. 3 when only the configuration, the key or trust failed and 6 when only the database did, as a run would
 * exit; else 1.
 */
export function exitCodeOfChecks(checks: readonly Check[]): number {
  const failures = checks.filter(({ status }) => status === 'fail');
  if (failures.length === 0) return exit.ok;
  if (failures.every(({ id }) => ['config', 'key', 'trust'].includes(id))) return exit.config;
  return failures.every(({ id }) => id.startsWith('database')) ? exit.database : exit.failed;
}
