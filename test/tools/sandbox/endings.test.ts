import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { unconfined } from '../../../src/tools/sandbox/find-sandbox.ts';
import type { Sandbox } from '../../../src/tools/sandbox/sandbox.ts';
import { describeWith } from '../../support/needs.ts';
import { leftOf, processesWith } from '../../support/processes.ts';
import { temporaryFolder } from '../helpers.ts';
import { begin, describeSandboxed, marker, run, sandbox, until } from './support.ts';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));
const linux = describeWith(process.platform === 'linux', 'processes are looked up in /proc');

describeSandboxed('the end of a command in the sandbox', () => {
  endsWhole(sandbox, 'auto');

  it('takes along what has made itself independent', async () => {
    const workspace = await temporaryFolder();
    const mark = marker();
    const stubborn = `trap '' TERM HUP INT; setsid --fork sh -c 'trap "" TERM HUP INT; sleep ${mark}' > /dev/null 2>&1 < /dev/null; (sleep ${mark} &); nohup sleep ${mark} &`;
    expect(await run(`${stubborn} echo begun`, { workspace })).toMatchObject({ how: 'exited', code: 0 });
    expect(await leftOf(mark)).toEqual([]);
    const { ran, running } = await begin(`${stubborn} sleep ${mark}`, { workspace });
    await until('it', () => processesWith(mark).length > 3);
    running.kill();
    expect((await ran).how).toBe('killed');
    expect(await leftOf(mark)).toEqual([]);
  });
});

linux('the end of a command without a sandbox', () => {
  endsWhole(unconfined(), 'none');
});

function endsWhole(sandbox: Sandbox, choice: string): void {
  it('is reported with the exit code of its shell', async () => {
    const workspace = await temporaryFolder();
    expect(await run('exit 7', { workspace }, sandbox)).toMatchObject({ how: 'exited', code: 7 });
    expect(await run('kill -9 $$', { workspace }, sandbox)).toMatchObject({ how: 'exited', code: 137 });
    expect(await run('nothing-of-this-name', { workspace }, sandbox)).toMatchObject({ code: 127 });
  });

  it('comes with the time-out, for its children too', async () => {
    const workspace = await temporaryFolder();
    const mark = marker();
    const ran = await run(
      `echo before; sleep ${mark} & sleep ${mark} | cat`,
      { workspace, timeoutMs: 800 },
      sandbox,
    );
    expect(ran).toMatchObject({ how: 'timedOut', text: 'before\n' });
    expect(await leftOf(mark)).toEqual([]);
  });

  it('comes with the signal, in the middle of its work', async () => {
    const workspace = await temporaryFolder();
    const mark = marker();
    const cancel = new AbortController();
    const { ran } = await begin(`sleep ${mark}`, { workspace, signal: cancel.signal }, sandbox);
    await until('it', () => processesWith(`sleep\0${mark}`).length > 0);
    cancel.abort();
    expect(await ran).toMatchObject({ how: 'killed' });
    expect(await leftOf(mark)).toEqual([]);
  });

  it('comes at any instant of its start', async () => {
    const workspace = await temporaryFolder();
    const mark = marker();
    for (const delay of [0, 1, 2, 4, 8, 12, 16, 20, 25, 30, 40, 60]) {
      const cancel = new AbortController();
      setTimeout(() => cancel.abort(), delay);
      await run(`sleep ${mark}`, { workspace, signal: cancel.signal }, sandbox).catch((error) =>
        expect(error).toMatchObject({ code: 'ABORTED' }),
      );
    }
    expect(await leftOf(mark)).toEqual([]);
  });

  it('comes before its beginning when it was cancelled before', async () => {
    const workspace = await temporaryFolder();
    const signal = AbortSignal.abort();
    await expect(run('true', { workspace, signal }, sandbox)).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('comes when this process is killed, at its work or at its start', async () => {
    const workspace = await temporaryFolder();
    for (const delay of [null, 0, 10, 20, 30, 50]) {
      const mark = marker();
      const host = spawn(process.execPath, [child, choice, workspace, mark], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void host.kill('SIGKILL'));
      // Says so when it is about to start the command.
      await once(host.stdout, 'data');
      if (delay === null) await until('it', () => processesWith(`sleep\0${mark}`).length > 0);
      else await new Promise((resolve) => setTimeout(resolve, delay));
      host.kill('SIGKILL');
      await once(host, 'exit');
      expect({ delay, left: await leftOf(`sleep ${mark}`) }).toEqual({ delay, left: [] });
      expect({ delay, left: await leftOf(`sleep\0${mark}`) }).toEqual({ delay, left: [] });
    }
  });

  it('waits for all of its output', async () => {
    const workspace = await temporaryFolder();
    const { text } = await run('seq 2000; echo last >&2', { workspace }, sandbox);
    expect(text.split('\n').filter((line) => /^\d+$/.test(line))).toHaveLength(2_000);
    expect(text).toContain('[stderr] last\n');
  });

  it('is the end of its input at once', async () => {
    const workspace = await temporaryFolder();
    expect(await run('cat; read -r line || echo nobody', { workspace }, sandbox)).toMatchObject({
      text: 'nobody\n',
    });
  });
}
