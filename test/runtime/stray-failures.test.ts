import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programFile } from '../support/program.ts';

function inProcess(...words: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'detent-stray-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [programFile('test/runtime/child-stray'), ...words],
    {
      cwd,
      encoding: 'utf8',
    },
  );
  return { status, lines: stdout.trim().split('\n'), stderr };
}

const failedLater = 'left something behind that failed: left behind';
const ways = [
  ['a promise that rejects', 'rejects'],
  ['a callback that throws', 'throws'],
  ['an emitter without a listener for its error', 'emits'],
] as const;

const all = ways.map(([, what]) => what).join();

describe('what a tool leaves behind, in any of the ways', () => {
  it.each(['at once', 'at work'])('ends the call, and not the process: %s', (when) => {
    const { status, lines } = inProcess(all, when, 'tool');
    expect([status, lines]).toEqual([0, ways.flatMap(() => ['done TOOL_FAILED left behind', 'alive'])]);
  });

  it('ends nothing after the call', () => {
    const { status, lines } = inProcess(all, 'later', 'tool');
    const each = ['done null returned', `reported: tool "stray" ${failedLater}`, 'alive'];
    expect([status, lines]).toEqual([0, ways.flatMap(() => each)]);
  });
});

describe.each(ways)('%s, of other code', (_, what) => {
  it('ends the process, as without Detent', () => {
    const { status, lines, stderr } = inProcess(what, 'elsewhere', '');
    expect([status, lines]).toEqual([1, ['done null returned']]);
    expect(stderr).toContain('of the program');
  });
});

describe.each(ways.slice(0, 2))('%s, of other code, in a program with a listener', (_, what) => {
  it('goes to that listener', () => {
    const { status, lines } = inProcess(what, 'elsewhere', '', 'listener');
    expect([status, lines]).toEqual([0, ['done null returned', 'own: Error: of the program', 'alive']]);
  });
});

describe('beside the listeners of the command line', () => {
  it.each([
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
  ])('what a %s leaves behind ends no process: %s', (where, when, expected) => {
    const { status, lines, stderr } = inProcess(all, when, where, 'cli');
    const said = [...lines, ...stderr.trim().split('\n')].filter((line) => line !== '');
    expect([status, said.sort()]).toEqual([0, ways.flatMap(() => expected).toSorted()]);
  });

  it('a failure of other code still ends it', () => {
    for (const [, what] of ways) expect(inProcess(what, 'elsewhere', '', 'cli').status).toBe(1);
  });
});
