import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { boundsProcesses } from '../../../src/tools/sandbox/bubblewrap.ts';
import { leftOf, processesWith } from '../../support/processes.ts';
import { temporaryFolder } from '../helpers.ts';
import { begin, describeSandboxed, marker, run, sandboxWith } from './support.ts';

const isFull = process.env.DETENT_TEST_SIZE === 'full';

describeSandboxed('the limits of a command', () => {
  it('hold a fork bomb, and end it with all of its processes', async ({ skip }) => {
    if (!boundsProcesses(process.getuid?.() ?? 0)) skip('root has no bound on processes before Linux 6.14');
    const workspace = await temporaryFolder();
    const mark = marker();
    const most = { processes: 0 };
    const count = setInterval(() => {
      most.processes = Math.max(most.processes, processesWith(mark).length);
    }, 100);
    const { how } = await run(`bomb() { bomb | bomb & }; : ${mark}; bomb; sleep 60`, {
      workspace,
      timeoutMs: 3_000,
    });
    clearInterval(count);
    expect(how).toBe('timedOut');
    expect(await leftOf(mark)).toEqual([]);
    expect(most.processes).toBeGreaterThan(10);
    expect(most.processes).toBeLessThan(420);
  });

  it('let 10 GB of output by without keeping it in memory or on disk', async () => {
    const workspace = await temporaryFolder();
    const before = process.memoryUsage().rss;
    const size = isFull ? '10G' : '1G';
    const { how, text } = await run(`head -c ${size} /dev/zero | tr '\\0' x; echo the end`, {
      workspace,
      timeoutMs: 600_000,
    });
    expect(how).toBe('exited');
    expect(text).toMatch(/^x{10000}\n\[… [\d,]{11,} characters are left out here …\]\nx{19992}the end\n$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
    expect(await readdir(workspace)).toEqual(['.detent']);
  });

  it('end a command that fills a file or its memory', async () => {
    const workspace = await temporaryFolder();
    const small = sandboxWith({ fileBytes: 2 ** 20, memoryBytes: 64 * 2 ** 20 });
    expect(await run('head -c 5M /dev/zero > big; ls', { workspace }, small)).toMatchObject({
      text: expect.stringContaining('File size limit'),
    });
    expect((await stat(join(workspace, 'big'))).size).toBe(2 ** 20);
    const { text } = await run('x=$(head -c 200M /dev/zero | tr "\\0" x)', { workspace }, small);
    expect(text).toMatch(/cannot allocate|memory/i);
  });

  it('bound /tmp, open files and core files', async () => {
    const workspace = await temporaryFolder();
    const small = sandboxWith({ temporaryBytes: 2 ** 20, openFiles: 64 });
    expect((await run('head -c 2M /dev/zero > /tmp/x', { workspace }, small)).text).toContain(
      'No space left',
    );
    expect((await run('ulimit -n; ulimit -c', { workspace }, small)).text).toBe('64\n0\n');
  });

  it('cannot be raised by the command', async () => {
    const workspace = await temporaryFolder();
    const { text } = await run('ulimit -n 100000; ulimit -d unlimited; ulimit -f unlimited', { workspace });
    expect(text.match(/cannot modify limit/g)).toHaveLength(3);
  });

  it('do not come from the processes that run outside', async () => {
    const workspace = await temporaryFolder();
    const commands = Array.from({ length: 4 }, () =>
      begin('for i in $(seq 120); do sleep 1 & done; wait; echo well', { workspace }),
    );
    for (const command of commands) expect((await (await command).ran).text).toBe('well\n');
  });
});
