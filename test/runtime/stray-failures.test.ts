import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { afterwards } from '../support/afterwards.ts';
import { programFile } from '../support/program.ts';

function inProcess(...words: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'detent-stray-'));
  afterwards(() => rmSync(cwd, { recursive: true, force: true }));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [programFile('test/runtime/child-stray'), ...words],
    {
      cwd,
      encoding: 'utf8',
    },
  );
  return { status, said: sections(stdout), stderr: sections(stderr) };
}

/** The lines that each case printed. */
function sections(text: string): Map<string, string[]> {
  const parts = text.split(/^== (.*)\n/m).slice(1);
  const linesOf = (part = '') => part.split('\n').filter((line) => line !== '');
  return new Map(parts.flatMap((name, i) => (i % 2 === 0 ? [[name, linesOf(parts[i + 1])]] : [])));
}

const failedLater = 'left work behind that failed: left behind';
const ways = [
  ['a promise that rejects', 'rejects'],
  ['a callback that throws', 'throws'],
  ['an emitter without a listener for its error', 'emits'],
] as const;

const all = ways.map(([, what]) => what).join();
const elsewhere = '@elsewhere';

describe('what a tool leaves behind, in any of the ways', () => {
  const { status, said } = inProcess(all, 'tool@at once,tool@at work,tool@later');

  it.each(['at once', 'at work'])('ends the call, and not the process: %s', (when) => {
    expect(said.get(`tool@${when}`)).toEqual(ways.flatMap(() => ['done TOOL_FAILED left behind', 'alive']));
  });

  it('ends nothing after the call', () => {
    const each = ['done null returned', `reported: tool "stray" ${failedLater}`, 'alive'];
    expect(said.get('tool@later')).toEqual(ways.flatMap(() => each));
    expect(status).toBe(0);
  });
});

describe.each(ways)('%s, of other code', (_, what) => {
  it('ends the process, as without Detent', () => {
    const { status, said, stderr } = inProcess(what, elsewhere);
    expect([status, said.get(elsewhere)]).toEqual([1, ['done null returned']]);
    expect(stderr.get(elsewhere)?.join('\n')).toContain('of the program');
  });
});

describe.each(ways.slice(0, 2))('%s, of other code, in a program with a listener', (_, what) => {
  it('goes to that listener', () => {
    const { status, said } = inProcess(what, elsewhere, 'listener');
    const expected = ['done null returned', 'own: Error: of the program', 'alive'];
    expect([status, said.get(elsewhere)]).toEqual([0, expected]);
  });
});

describe('beside the listeners of the command line', () => {
  const cases: [where: string, when: string, lines: string[]][] = [
    ['tool', 'at work', ['done TOOL_FAILED left behind', 'alive']],
    ['tool', 'later', ['done null returned', `reported: tool "stray" ${failedLater}`, 'alive']],
    ['step', 'at work', ['done', 'alive']],
    ['step', 'later', ['waiting', `reported: step "work" ${failedLater}`, 'alive']],
    ['action', 'at work', ['failed', 'alive']],
    ['action', 'later', ['waiting', `reported: action "act" ${failedLater}`, 'alive']],
    ['guard', 'later', ['waiting', `detent: chart "strays" ${failedLater}`, 'alive']],
    ['model', 'at work', ['failed undefined undefined', 'alive']],
    ['hook', 'at work', ['failed undefined undefined', 'alive']],
    ['end hook', 'later', ['done null returned', `reported: a hook of runEnd ${failedLater}`, 'alive']],
    [
      'authenticate',
      'at work',
      ['reported: the gateway could not find out whose token this is; try again later', '503', 'alive'],
    ],
    ['authenticate', 'later', ['401', `reported: authenticate ${failedLater}`, 'alive']],
  ];
  const { status, said, stderr } = inProcess(
    all,
    cases.map(([where, when]) => `${where}@${when}`).join(),
    'cli',
  );

  it.each(cases)('what a %s leaves behind ends no process: %s', (where, when, expected) => {
    const lines = [said, stderr].flatMap((each) => each.get(`${where}@${when}`) ?? []);
    expect(lines.sort()).toEqual(ways.flatMap(() => expected).toSorted());
    expect(status).toBe(0);
  });

  it('a failure of other code still ends it', () => {
    for (const [, what] of ways.slice(0, 2)) expect(inProcess(what, elsewhere, 'cli').status).toBe(1);
  });
});
