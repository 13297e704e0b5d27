import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answering, at, by, newWorkspace, type Workspace } from '../../support/cli.ts';
import { textOf } from '../../support/mock-provider.ts';
import { toolsConfig } from '../../support/tools-config.ts';

const withTools = () => newWorkspace({ 'detent.config.ts': toolsConfig });
const calling = (name: string) => ({ calls: [{ name, arguments: { text: 'x' } }] });
const logOf = (workspace: Workspace) => readFileSync(workspace.path('calls.log'), 'utf8').trim().split('\n');

/** The process of a command ends when the file `go` is there. */
const endingSlowly = `
import { existsSync, writeSync } from 'node:fs';
process.on('exit', () => {
  writeSync(2, 'is ending');
  while (!existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
});
export default {};
`;

describe.concurrent('Ctrl-C', () => {
  it('cancels the run durably, keeps the words that were read, and ends with 130', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'half an ans', ending: 'hang' });
    const live = workspace.start(['run', 'hi', ...by(provider)]);
    await live.saw('stdout', /half an ans/);
    live.kill('SIGINT');
    const { code, stdout, stderr } = await live.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: 'half an ans\n' });
    expect(stderr).toContain('cancelled');
    const view = await workspace.lookAtOne();
    expect(view).toMatchObject({ status: 'cancelled', outcome: 'cancelled', text: 'half an ans' });
  });

  it('still prints the one object of --json', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'half', ending: 'hang' });
    const live = workspace.start(['run', 'hi', '--json', ...by(provider)]);
    await provider.arrived(1);
    live.kill('SIGINT');
    const { code, stdout } = await live.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
  });

  it('pressed twice leaves at once', async () => {
    const workspace = await withTools();
    const provider = await answering(calling('slow'));
    const live = workspace.start(['run', 'hi', ...by(provider)]);
    await live.saw('stderr', /began to be slow/);
    live.kill('SIGINT');
    await live.saw('stderr', /again/);
    live.kill('SIGINT');
    expect((await live.ended).code).toBe(130);
  });

  it('pressed again while the process is already ending ends it with 130, too', async () => {
    const workspace = await newWorkspace({ 'detent.config.ts': endingSlowly });
    const provider = await answering({ text: 'half', ending: 'hang' });
    const live = workspace.start(['run', 'hi', ...by(provider)]);
    await live.saw('stdout', /half/);
    live.kill('SIGINT');
    await live.saw('stderr', /is ending/);
    live.kill('SIGINT');
    await workspace.write('go', '');
    expect(await live.ended).toMatchObject({ code: 130, signal: null });
  });
});

describe.concurrent('a process that is killed', () => {
  it('leaves its run interrupted, and resume finishes it', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'half', ending: 'hang' }, { text: 'the whole answer' });
    const live = workspace.start(['run', 'hi', ...by(provider)]);
    await live.saw('stdout', /half/);
    live.kill('SIGKILL');
    expect((await live.ended).signal).toBe('SIGKILL');
    const { view } = await workspace.json<{ runId: string; status: string }[]>(['runs', 'list']);
    expect(view).toMatchObject([{ status: 'interrupted' }]);
    const resumed = await workspace.json(['runs', 'resume', view[0]?.runId ?? '', ...at(provider)]);
    expect(resumed).toMatchObject({ code: 0, view: { status: 'done', text: 'the whole answer' } });
    const said = provider.requests[1]?.body.messages.filter(({ role }) => role === 'user').map(textOf);
    expect(said).toEqual(['hi']);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('by %s leaves it likewise', async (signal) => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'half', ending: 'hang' }, { text: 'whole' });
    const live = workspace.start(['run', 'hi', ...by(provider)]);
    await live.saw('stdout', /half/);
    live.kill(signal);
    await live.ended;
    expect(await workspace.lookAtOne()).toMatchObject({ status: 'interrupted' });
    await workspace.write(
      'detent.config.json',
      JSON.stringify({ models: { mock: { baseUrl: provider.baseUrl } } }),
    );
    const { code, stdout } = await workspace.detent(['runs', 'resume', '--all']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/done {2}completed/);
  });
});

/** A run whose unsafe call was killed under way, and that is resumed without an answer. */
async function reconciling() {
  const workspace = await withTools();
  const provider = await answering(calling('slow'), { text: 'so be it' });
  const live = workspace.start(['run', 'hi', ...by(provider)]);
  await live.saw('stderr', /began to be slow/);
  live.kill('SIGKILL');
  await live.ended;
  await workspace.write('go', '');
  const { runId } = await workspace.lookAtOne();
  const { code, view, stderr } = await workspace.json(['runs', 'resume', runId, ...at(provider)]);
  const callId = view.pending[0]?.callId ?? '';
  const toldOf = () => provider.requests[1]?.body.messages.filter(({ role }) => role === 'tool').map(textOf);
  const settle = (...flags: string[]) =>
    workspace.json<{ applied: boolean; verdict: string }>(['runs', 'reconcile', runId, callId, ...flags]);
  return { workspace, provider, runId, callId, code, view, stderr, toldOf, settle };
}

describe.concurrent('an unsafe call whose process was killed', () => {
  it('--ran with a result gives that to the model', async () => {
    const { workspace, provider, runId, toldOf, settle } = await reconciling();
    expect((await settle('--ran', '--result', 'it slept')).code).toBe(0);
    const { code, view } = await workspace.json(['runs', 'resume', runId, ...at(provider)]);
    expect({ code, text: view.text }).toEqual({ code: 0, text: 'so be it' });
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ status: 'done', result: 'it slept' });
    expect(toldOf()).toEqual(['it slept']);
    expect(logOf(workspace)).toEqual(['slow began']);
  });

  it('--retry makes it again', async () => {
    const { workspace, provider, runId, toldOf, settle } = await reconciling();
    await settle('--retry');
    expect((await workspace.detent(['runs', 'resume', runId, ...at(provider)])).code).toBe(0);
    expect(toldOf()).toEqual(['slept']);
    expect(logOf(workspace)).toEqual(['slow began', 'slow began', 'slow ended']);
  });

  it('--skip continues without it, and says so to the model; the first word stands', async () => {
    const { workspace, provider, runId, toldOf, settle } = await reconciling();
    await settle('--skip');
    const second = await settle('--retry');
    expect(second).toMatchObject({ code: 1, view: { applied: false, verdict: 'skip' } });
    expect(await settle('--skip')).toMatchObject({ code: 0, view: { applied: false, verdict: 'skip' } });
    const { view } = await workspace.json(['runs', 'resume', runId, ...at(provider)]);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ status: 'skipped', isError: true });
    expect(toldOf()?.[0]).toContain('unknown');
    expect(logOf(workspace)).toEqual(['slow began']);
  });

  it('is not made again: only a person says what became of it, once, and by a word for that', async () => {
    const { workspace, provider, runId, callId, code, view, stderr } = await reconciling();
    expect(code).toBe(5);
    expect(view).toMatchObject({ status: 'waiting', pending: [{ kind: 'reconcile', callId, name: 'slow' }] });
    expect(view.pending[0]?.arguments).toEqual({ text: 'x' });
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ status: 'uncertain' });
    expect(stderr).toContain(`detent runs reconcile ${runId} ${callId} --ran`);
    expect(logOf(workspace)).toEqual(['slow began']);

    const confirmed = await workspace.detent(['runs', 'confirm', runId, callId, '--approve']);
    expect(confirmed.code).toBe(4);
    for (const flags of [[], ['--ran', '--skip'], ['--skip', '--result', 'x']]) {
      const ended = await workspace.detent(['runs', 'reconcile', runId, callId, ...flags]);
      expect(ended.code).toBe(2);
    }
    const env = { EXTRA_CONFIG: '{"policy":{"approve":"all"}}' };
    expect((await workspace.detent(['runs', 'resume', runId, ...at(provider)], { env })).code).toBe(5);
  });
});
