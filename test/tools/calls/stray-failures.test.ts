import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programFile } from '../../support/program.ts';

function inProcess(...words: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'detent-stray-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [programFile('test/tools/calls/child-stray'), ...words],
    {
      cwd,
      encoding: 'utf8',
    },
  );
  return { status, lines: stdout.trim().split('\n'), stderr };
}

const ways = [
  ['a promise that rejects', 'rejects'],
  ['a callback that throws', 'throws'],
  ['an emitter without a listener for its error', 'emits'],
] as const;

describe.each(ways)('%s, left behind by a tool', (_, what) => {
  it.each(['at once', 'at work'])('ends the call, and not the process: %s', (when) => {
    expect(inProcess(what, when)).toMatchObject({
      status: 0,
      lines: ['done TOOL_FAILED left behind', 'alive'],
    });
  });

  it('ends nothing after the call', () => {
    expect(inProcess(what, 'later')).toMatchObject({ status: 0, lines: ['done null returned', 'alive'] });
  });
});

describe.each(ways)('%s, of other code', (_, what) => {
  it('ends the process, as without Detent', () => {
    const { status, lines, stderr } = inProcess(what, 'elsewhere');
    expect([status, lines]).toEqual([1, ['done null returned']]);
    expect(stderr).toContain('of the program');
  });
});

describe.each(ways.slice(0, 2))('%s, of other code, in a program with a listener', (_, what) => {
  it('goes to that listener', () => {
    const { status, lines } = inProcess(what, 'elsewhere', 'listener');
    expect([status, lines]).toEqual([0, ['done null returned', 'own: Error: of the program', 'alive']]);
  });
});
