import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBus } from '../../../src/engine/bus.ts';
import type { ToolContext } from '../../../src/protocol/tool.ts';
import { shellTool } from '../../../src/tools/builtin/shell.ts';
import { shellKillTool } from '../../../src/tools/builtin/shell-kill.ts';
import { shellOutputTool } from '../../../src/tools/builtin/shell-output.ts';
import { BackgroundJobs } from '../../../src/tools/sandbox/background-jobs.ts';
import type { Sandbox } from '../../../src/tools/sandbox/sandbox.ts';
import { unavailableSandbox } from '../../../src/tools/sandbox/unavailable.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { leftOf, processesWith } from '../../support/processes.ts';
import { planContext, temporaryFolder, toolContext } from '../helpers.ts';
import { describeSandboxed, marker, sandbox, until } from '../sandbox/support.ts';

/** The three tools in a fresh workspace. */
async function shells(within: Sandbox = sandbox) {
  const workspace = await temporaryFolder();
  const bus = createEmbeddedBus();
  const jobs = new BackgroundJobs(bus);
  onTestFinished(() => jobs.close());
  const tools = [shellTool({ sandbox: within, jobs }), shellOutputTool(jobs), shellKillTool(jobs)];
  const toolbox = createToolbox({ tools, allowed: null });
  let calls = 0;
  const call = (name: string, args: object, over: Partial<ToolContext> = {}) => {
    calls += 1;
    const ctx = toolContext({ workspace, callId: `c${calls}`, ...over });
    return toolbox.run(name, JSON.stringify(args), ctx);
  };
  const background = async (command: string, over: Partial<ToolContext> = {}) => {
    const { text } = await call('shell', { command, background: true }, over);
    return text.match(/job_\w+/)?.[0] ?? text;
  };
  return { workspace, bus, jobs, toolbox, call, background };
}

describe('the shell without a sandbox', () => {
  it('refuses every command with a code and the reason', async () => {
    const { call } = await shells(unavailableSandbox('bubblewrap is not installed; install it'));
    for (const background of [false, true])
      expect(await call('shell', { command: 'true', background })).toEqual({
        isError: true,
        code: 'SANDBOX_UNAVAILABLE',
        text: expect.stringContaining('bubblewrap is not installed; install it'),
      });
  });

  it('is not shown to a model, and a call of it is refused with the reason', async () => {
    const { jobs } = await shells();
    const missing = { code: 'SANDBOX_UNAVAILABLE', reason: 'none here' };
    const tools = [shellTool({ sandbox, jobs })];
    const toolbox = createToolbox({ tools, allowed: null, unavailable: { shell: missing } });
    expect(toolbox.specs(null)).toEqual([]);
    expect(toolbox.views()).toMatchObject([{ name: 'shell', disabled: 'SANDBOX_UNAVAILABLE: none here' }]);
    expect(await toolbox.plan('shell', '{"command":"true"}', planContext())).toMatchObject({
      gate: 'refuse',
      code: 'SANDBOX_UNAVAILABLE',
      text: expect.stringContaining('none here'),
    });
  });
});

describeSandboxed('shell', () => {
  it('asks, and a repeat of it is unsafe; looking does not ask, and ending a command can be repeated', async () => {
    const { toolbox } = await shells();
    const plan = (name: string, args: object) => toolbox.plan(name, JSON.stringify(args), planContext());
    expect(await plan('shell', { command: 'true' })).toMatchObject({ gate: 'ask', sideEffect: 'unsafe' });
    expect(await plan('shell_output', { id: 'x' })).toMatchObject({ gate: 'run', sideEffect: 'readonly' });
    expect(await plan('shell_kill', { id: 'x' })).toMatchObject({ gate: 'run', sideEffect: 'idempotent' });
  });

  it('tells the model that there is no network', async () => {
    const { toolbox } = await shells();
    expect(toolbox.specs(null).find(({ name }) => name === 'shell')?.description).toContain(
      'without a network',
    );
  });

  it('returns output and exit code', async () => {
    const { call, workspace } = await shells();
    expect(await call('shell', { command: 'echo milk | tee list; echo careful >&2' })).toMatchObject({
      isError: false,
      text: expect.stringMatching(/milk\n(.*\n)*\[exit code 0 after \d+\.\d s\]$/),
    });
    expect(await readFile(join(workspace, 'list'), 'utf8')).toBe('milk\n');
    expect((await call('shell', { command: 'true' })).text).toMatch(/^\[no output; exit code 0 after /);
  });

  it.each([
    ['exit 3', /^\[no output; exit code 3 after /],
    ['echo so >&2; false', /^\[stderr\] so\n\[exit code 1 after /],
    ['nothing-of-this-name', /not found\n\[exit code 127 \(command not found\)/],
    ['kill -9 $$', /exit code 137 \(SIGKILL: perhaps out of memory\)/],
    ['if', /syntax error(.|\n)*exit code [12] /],
  ])('%s has failed, and says how', async (command, text) => {
    const { call } = await shells();
    expect(await call('shell', { command })).toEqual({
      isError: true,
      code: 'COMMAND_FAILED',
      text: expect.stringMatching(text),
    });
  });

  it('gives what there was until the time-out', async () => {
    const { call } = await shells();
    const mark = marker();
    const outcome = await call('shell', { command: `echo begun; sleep ${mark}`, timeoutMs: 700 });
    expect(outcome).toEqual({
      isError: true,
      code: 'TIMEOUT',
      text: expect.stringMatching(/^begun\n\[timed out: ended after 0\.\d s with all of its processes\]$/),
    });
    expect(await leftOf(mark)).toEqual([]);
  });

  it('is ended when its call is cancelled', async () => {
    const { call } = await shells();
    const mark = marker();
    const cancel = new AbortController();
    const called = call('shell', { command: `sleep ${mark}` }, { signal: cancel.signal });
    await until('the command', () => processesWith(`sleep\0${mark}`).length > 0);
    cancel.abort();
    expect(await called).toMatchObject({ isError: true, code: 'ABORTED' });
    expect(await leftOf(mark)).toEqual([]);
  });

  it('takes commands that look like options, and long ones, but none that no program could take', async () => {
    const { call } = await shells();
    expect((await call('shell', { command: '--version' })).code).toBe('COMMAND_FAILED');
    expect((await call('shell', { command: '-c "echo no"' })).text).toContain('not found');
    const long = `: ${'x'.repeat(99_000)}; echo well`;
    expect((await call('shell', { command: long })).text).toMatch(/^well\n/);
    for (const command of [`: ${'x'.repeat(100_000)}`, `: ${'漢'.repeat(40_000)}`, 'echo a\0b'])
      expect(await call('shell', { command })).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect((await call('shell', { command: '' })).code).toBe('INVALID_ARGUMENTS');
  });

  it('shows bytes that are no text as such', async () => {
    const { call } = await shells();
    const { text, isError } = await call('shell', { command: `printf 'a\\377\\000b'` });
    expect(isError).toBe(false);
    expect(text).toMatch(
      /^a\uFFFD\uFFFDb\n\[exit code 0 after .*; \uFFFD stands for bytes that are not UTF-8\]$/,
    );
  });

  it('is a new shell each time, in the same files', async () => {
    const { call, workspace } = await shells();
    await mkdir(join(workspace, 'sub'));
    await writeFile(join(workspace, 'sub/x'), '');
    await call('shell', { command: 'cd sub; export A=1; echo kept > /tmp/y' });
    expect((await call('shell', { command: 'echo "$A"; ls; ls /tmp' })).text).toMatch(
      /^\nsub\n.*\[exit code 0/s,
    );
  });
});

describeSandboxed('a command in the background', () => {
  it('keeps running while the model reads what it has printed since the last call', async () => {
    const { call, background, workspace } = await shells();
    const id = await background('echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 4');
    let text = '';
    while (!text.startsWith('one\n')) ({ text } = await call('shell_output', { id, waitMs: 50 }));
    expect(text).toMatch(/^one\n\[still running, for /);
    expect((await call('shell_output', { id, waitMs: 1 })).text).toMatch(/^\[no output; still running/);
    await writeFile(join(workspace, 'go'), '');
    expect((await call('shell_output', { id, waitMs: 30_000 })).text).toMatch(/^two\n\[exit code 4 after /);
    expect((await call('shell_output', { id })).text).toMatch(/^\[no output; exit code 4 after /);
  });

  it('is ended by shell_kill, as often as that is called', async () => {
    const { call, background } = await shells();
    const mark = marker();
    const id = await background(`echo begun; sleep ${mark}`);
    expect((await call('shell_kill', { id })).text).toMatch(/: ended after .* with all of its processes/);
    expect(await leftOf(mark)).toEqual([]);
    expect(await call('shell_kill', { id })).toMatchObject({
      isError: false,
      text: expect.stringMatching(/had ended before/),
    });
    expect((await call('shell_output', { id })).isError).toBe(false);
  });

  it('is known to its own run alone', async () => {
    const { call, background } = await shells();
    const id = await background('sleep 60');
    const other = { principal: { tenantId: 2, userId: null, claims: {} } };
    for (const over of [{ runId: 'run-2' }, other])
      for (const name of ['shell_output', 'shell_kill'])
        expect(await call(name, { id }, over)).toMatchObject({ isError: true, code: 'UNKNOWN_JOB' });
    expect((await call('shell_output', { id })).text).toContain('still running');
  });

  it.each([
    ['the run ends', { type: 'transition', ended: true }],
    ['the run is no longer driven here', { type: 'stalled' }],
  ])('ends when %s', async (_, signal) => {
    const { bus, background, call } = await shells();
    const mark = marker();
    const id = await background(`sleep ${mark}`);
    bus.notify({ runId: 'run-2', ...signal });
    bus.notify({ runId: 'run-1', type: 'transition', ended: false });
    expect((await call('shell_output', { id })).text).toContain('still running');
    bus.notify({ runId: 'run-1', ...signal });
    expect(await leftOf(mark)).toEqual([]);
    expect((await call('shell_output', { id })).code).toBe('UNKNOWN_JOB');
  });

  it('ends when Detent is closed', async () => {
    const { jobs, background } = await shells();
    const mark = marker();
    await background(`sleep ${mark} & sleep ${mark}`);
    await background(`sleep ${mark}`, { runId: 'run-2' });
    await jobs.close();
    expect(await leftOf(mark)).toEqual([]);
  });

  it('has a bound on its number, and room again when one has ended', async () => {
    const { call, background } = await shells();
    const ids = [];
    for (let i = 0; i < 8; i += 1) ids.push(await background('sleep 60'));
    expect(await call('shell', { command: 'sleep 60', background: true })).toMatchObject({
      code: 'TOO_MANY_JOBS',
      text: expect.stringContaining(ids[0] ?? '?'),
    });
    await call('shell_kill', { id: ids[0] });
    expect(await background('sleep 60')).toMatch(/^job_/);
  });

  it('has a time-out of its own', async () => {
    const { call } = await shells();
    const { text } = await call('shell', { command: 'sleep 60', background: true, timeoutMs: 300 });
    const id = text.match(/job_\w+/)?.[0];
    expect((await call('shell_output', { id, waitMs: 20_000 })).text).toContain('timed out');
  });
});
