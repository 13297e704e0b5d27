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

describe('a promise that a tool left behind', () => {
  it.each(['at once', 'at work'])('ends the call, and not the process, when it rejects %s', (when) => {
    expect(inProcess(when)).toMatchObject({ status: 0, lines: ['done TOOL_FAILED left behind', 'alive'] });
  });

  it('ends nothing when it rejects after the call', () => {
    expect(inProcess('later')).toMatchObject({ status: 0, lines: ['done null returned', 'alive'] });
  });
});

describe('a rejection of other code', () => {
  it('ends the process, as without Detent', () => {
    const { status, lines, stderr } = inProcess('elsewhere');
    expect([status, lines]).toEqual([1, ['done null returned']]);
    expect(stderr).toContain('of the program');
  });

  it('goes to the listener that the program has', () => {
    const { status, lines } = inProcess('elsewhere', 'listener');
    expect([status, lines]).toEqual([0, ['done null returned', 'own: Error: of the program', 'alive']]);
  });
});
