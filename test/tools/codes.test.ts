import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Words in capitals that are no code of a result: of the system, of the MCP package, of a run's output, and of errors that keep a Detent or a run from starting. */
const others = new Set([
  'CAP_SYS_ADMIN',
  // An example.
  'OUT_OF_STOCK',
  'DUPLICATE_TOOL',
  'UNKNOWN_TOOLSET',
  'INVALID_CLIENT_TOOL',
  'ERR_SCRIPT_EXECUTION_TIMEOUT',
  'MCP_LOGIN_FAILED',
  'MCP_PINS_UNREADABLE',
  'INVALID_OUTPUT',
  'INVALID_OUTPUT_SCHEMA',
  'INVALID_RESULT',
  'UNSUPPORTED_RESULT_TYPE',
]);

const codesIn = (path: string) =>
  [...read(path).matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|TIMEOUT|ABORTED)'/g)].map(([, code = '']) => code);

/** What the agent itself writes where a call does not run. */
const ofAgent = [
  ...[
    'call/messages/close-calls',
    'runs/sub-runs',
    'protocol/tool',
    'schedule/schedule-job-tool',
    'call/hooks',
  ]
    .flatMap((name) => codesIn(`src/${name}.ts`))
    .filter((code) => !others.has(code)),
  ...['EXPIRED', 'SKIPPED', 'CANCELLED', 'INTERNAL', 'JOB_EXISTS'],
];

const used = new Set([
  ...globSync('src/tools/**/*.ts', { cwd: root })
    // Of what is posted to hosts.
    .filter((path) => !/http\/(?:webhook|signatures)\.ts$/.test(path))
    .flatMap(codesIn)
    .filter((code) => !others.has(code)),
  ...ofAgent,
]);

const [, section = ''] = read('docs/tools.md').split('\n## Codes\n');
const rows =
  section
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `')) ?? [];
const documented = rows.flatMap((row) =>
  [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z0-9_]+)`/g)].map(([, code]) => code),
);

describe('the codes of results', () => {
  it('are all in docs/tools.md, and no others, in order', () => {
    expect([...used].filter((code) => !documented.includes(code))).toEqual([]);
    expect(documented.filter((code) => !used.has(`${code}`))).toEqual([]);
    expect(documented).toEqual([...documented].sort());
    expect(documented.length).toBeGreaterThan(50);
  });

  it('each have a meaning', () => {
    for (const row of rows) expect(row).toMatch(/^\| `[^|]+ \| \S.* \|$/);
  });
});
