import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MachineHost } from '../../../src/engine/machine-host.ts';
import { createMachineHosts } from '../../../src/engine/machine-hosts.ts';
import type { Detent } from '../../../src/index.ts';
import { randomId } from '../../../src/protocol/ids.ts';
import { forkAt } from '../../../src/runs/history/fork.ts';
import { fakeClock, type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { coreWith, gate, scripted, temporaryWorkspace, tool } from '../../support/detent.ts';
import { LongRun, standing, tenant } from './long-run.ts';

const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });
const pay = tool('pay', { sideEffect: 'unsafe' });
const tools = { define: [tool('look'), pay] };

async function finish(detent: Detent, runId: string) {
  await detent.runs.resume({ runId });
  return detent.runs.attach(runId).result;
}

describe('a fork', () => {
  it('of an answer asks again from there, and leaves the original alone', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }]);
    const { runId, sessionId } = await detent.run('go').result;
    const before = await detent.runs.show(runId);
    const fork = await detent.runs.fork(runId, { at: 1 });
    expect(fork).toEqual({
      runId: expect.stringMatching(/^run_/),
      sessionId: expect.stringMatching(/^ses_/),
      open: [{ effect: 1, name: 'effect.callModel', status: 'pending' }],
    });
    expect(fork.sessionId).not.toBe(sessionId);
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'unstarted', text: '' });
    expect(model.requests).toHaveLength(1);
    expect(await finish(detent, fork.runId)).toMatchObject({ status: 'done', text: 'two' });
    expect(await detent.runs.show(runId)).toEqual(before);
  });

  it('at 0 keeps the prompt alone, and starts from it', async () => {
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }]);
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 0 });
    expect(fork.open).toEqual([]);
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'unstarted', states: ['idle'] });
    expect(await finish(detent, fork.runId)).toMatchObject({ status: 'done', text: 'two' });
  });

  it('at the end has ended, and its conversation goes on in the new session', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }]);
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 2 });
    expect(await detent.runs.show(fork.runId)).toMatchObject({
      status: 'done',
      outcome: 'completed',
      text: 'one',
    });
    await detent.run('and then?', { session: fork.sessionId }).result;
    expect(model.requests[1]?.messages.map(({ text }) => text).slice(1)).toEqual(['go', 'one', 'and then?']);
  });

  it('takes the earlier runs of its session along', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    await detent.run('first', { session: 's' }).result;
    const { runId } = await detent.run('second', { session: 's' }).result;
    const fork = await detent.runs.fork(runId, { at: 1 });
    const copies = await detent.runs.list({ session: fork.sessionId });
    expect(copies.map(({ status }) => status)).toEqual(['unstarted', 'done']);
    await finish(detent, fork.runId);
    expect(model.requests[2]?.messages.map(({ text }) => text).slice(1)).toEqual(['first', 'one', 'second']);
    expect((await detent.runs.replayAll()).map(({ diverged }) => diverged)).toEqual([null, null, null, null]);
  });

  it('asks the people again who had not decided by then', async () => {
    const { detent } = await scripted([call('pay', { usd: 9 }), { text: 'paid' }, { text: 'not paid' }], {
      tools,
    });
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'approve' });
    const { runId } = await run.result;
    const fork = await detent.runs.fork(runId, { at: 2 });
    expect(fork.open).toEqual([
      {
        effect: 2,
        name: 'effect.runTool',
        status: 'held',
        callId: 'c2',
        tool: 'pay',
        arguments: '{"usd":9}',
      },
    ]);
    const { status, pending } = await detent.runs.show(fork.runId);
    expect([status, pending]).toMatchObject([
      'waiting',
      [{ callId: 'c2', name: 'pay', arguments: { usd: 9 } }],
    ]);
    await detent.runs.confirm(fork.runId, 'c2', { verdict: 'reject', hash: pending[0]?.argumentsHash ?? '' });
    expect(await finish(detent, fork.runId)).toMatchObject({ status: 'done', text: 'not paid' });
  });

  it('from before a change of arguments has those that the model wrote', async () => {
    const given: unknown[] = [];
    const noted = tool('pay', { sideEffect: 'unsafe', run: (args) => void given.push(args) });
    const script = [call('pay', { usd: 9 }), { text: 'ok' }, { text: 'ok' }];
    const { detent } = await scripted(script, { tools: { define: [noted] } });
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'modify', arguments: { usd: 1 } });
    const { runId } = await run.result;
    const fork = await detent.runs.fork(runId, { at: 2 });
    const { pending } = await detent.runs.show(fork.runId);
    await detent.runs.confirm(fork.runId, 'c2', {
      verdict: 'approve',
      hash: pending[0]?.argumentsHash ?? '',
    });
    await finish(detent, fork.runId);
    expect(given).toEqual([{ usd: 1 }, { usd: 9 }]);
  });

  it('can use another model', async () => {
    const other = scriptedModel([{ text: 'another voice' }]);
    const { detent } = await scripted([{ text: 'one' }], { models: { other } });
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 1, model: 'other/one' });
    expect(await finish(detent, fork.runId)).toMatchObject({ text: 'another voice' });
    await expect(detent.runs.fork(runId, { at: 1, model: 'nobody/one' })).rejects.toMatchObject({
      code: 'UNKNOWN_MODEL',
    });
  });

  it('can say something else for the user', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }], {
      env: { MY_TOKEN: 'hunter2-hunter2' },
    });
    const { runId } = await detent.run('count to one').result;
    const fork = await detent.runs.fork(runId, { at: 1, editMessage: 'count to hunter2-hunter2' });
    await finish(detent, fork.runId);
    expect(model.requests[1]?.messages.at(-1)?.text).toBe('count to [redacted:MY_TOKEN]');
    expect((await detent.runs.events(runId))[0]?.messages).toEqual([{ role: 'user', text: 'count to one' }]);
    await expect(detent.runs.fork(runId, { at: 1, editMessage: ' ' })).rejects.toMatchObject({
      code: 'EMPTY_PROMPT',
    });
  });

  it('edits the newest message of the user, not the prompt before it', async () => {
    const here = gate();
    const look = tool('look', { run: () => here.pass() });
    const { detent, model } = await scripted([call('look'), { text: 'one' }, { text: 'two' }], {
      tools: { define: [look] },
    });
    const run = detent.run('first words');
    await here.reached;
    await run.steer('second words');
    here.open();
    const { runId } = await run.result;
    const [, , said] = await detent.runs.events(runId);
    expect(said?.event.type).toBe('run.message');
    const fork = await detent.runs.fork(runId, { at: 4, editMessage: 'other words' });
    await finish(detent, fork.runId);
    const asked = model.requests[2]?.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
    expect(asked).toEqual(['first words', 'other words']);
  });

  it('keeps the time that a timer had left', async () => {
    const { detent } = await scripted([call('pay')], { tools });
    const { runId } = await detent.run('go', { limits: { confirmExpiryMs: 60_000 } }).result;
    const fork = await detent.runs.fork(runId, { at: 2 });
    const why = await detent.runs.why(fork.runId);
    expect(why.details.join()).toMatch(/in (59(\.\d)?|60) s, at /);
  });

  it('does not move by itself, not even in a process that drives everything', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    await detent.runs.resume();
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 1 });
    await detent.run('something else').result;
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'unstarted' });
    expect(model.requests).toHaveLength(2);
  });

  it('uses none of its time before it is resumed, also beside a process that drives everything', async () => {
    const clock = fakeClock();
    const answers = ['one', 'two', 'three', 'four'].map((text) => ({ text }));
    const { detent } = await scripted(answers, { clock });
    const { runId } = await detent.run('go', { limits: { timeoutMs: 1_000 } }).result;
    const fork = await detent.runs.fork(runId, { at: 1 });
    await clock.advance(60_000);
    // What each start of a server does.
    for (let starts = 0; starts < 2; starts++) {
      await detent.runs.resume();
      await detent.run('something else', { session: 'other' }).started;
      expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'unstarted', error: null });
    }
    expect(await detent.runs.counts()).toMatchObject({ unstarted: 1 });
    expect(await detent.runs.list({ status: ['unstarted'] })).toMatchObject([{ runId: fork.runId }]);
    expect(await finish(detent, fork.runId)).toMatchObject({ status: 'done' });
  });

  it.each([0, 1])('at %i goes on with a message, to itself or to its session', async (at) => {
    const answers = ['one', 'two', 'three', 'four'].map((text) => ({ text }));
    const { detent } = await scripted(answers);
    const { runId } = await detent.run('go').result;
    const told = await detent.runs.fork(runId, { at });
    await detent.runs.steer(told.runId, 'and now?');
    expect(await detent.runs.attach(told.runId).result).toMatchObject({ status: 'done' });
    const spoken = await detent.runs.fork(runId, { at });
    await detent.run('and now?', { session: spoken.sessionId }).result;
    expect(await detent.runs.show(spoken.runId)).toMatchObject({ status: 'done' });
  });

  it('that waits for a person, and was decided on, is decided', async () => {
    const { detent } = await scripted([call('buy'), { text: 'ok' }], {
      tools: { define: [tool('buy', { sideEffect: 'unsafe' })] },
    });
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 2 });
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'waiting' });
    await detent.runs.confirm(fork.runId, 'c2', { verdict: 'approve' });
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'decided' });
  });
});

describe('a fork is refused', () => {
  it.each([-1, 3, 1.5])('at %s, which is no transition, naming the range', async (at) => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId } = await detent.run('go').result;
    const refusal = {
      code: 'SEQ_OUT_OF_RANGE',
      details: { first: 0, last: 2 },
      message: expect.stringContaining('0 to 2'),
    };
    await expect(detent.runs.fork(runId, { at })).rejects.toMatchObject(refusal);
  });

  it('for a run that does not exist, or of another tenant', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId } = await detent.run('go').result;
    for (const forking of [detent.runs.fork('run_none', { at: 0 }), detent.runs.fork(runId, { at: 0 }, 2)])
      await expect(forking).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await detent.runs.list()).toHaveLength(1);
  });

  it('behind a run that has not ended, since its conversation is not known yet', async () => {
    const { detent } = await scripted([call('pay')], { tools });
    const first = await detent.run('go', { session: 's' }).result;
    const second = await detent.run('next', { session: 's' }).result;
    const refusal = { code: 'SESSION_BUSY', details: { behind: first.runId } };
    await expect(detent.runs.fork(second.runId, { at: 0 })).rejects.toMatchObject(refusal);
  });

  it('by a program that lacks the version of its machine', async () => {
    const core = await coreWith(scriptedModel([call('pay')]), { tools });
    const runId = await start(core);
    const host: MachineHost = { ...core.hosts.newest('run'), version: 99 };
    const request = { tenant, runId, seq: 1, newId: randomId, at: Date.now() };
    await expect(forkAt(core.store, createMachineHosts([host]), request)).rejects.toMatchObject({
      code: 'MIGRATION_NEEDED',
    });
    expect(await core.store.query('listSessions', { tenant, limit: 9 })).toHaveLength(1);
  });

  it('when the message to edit is only in a summary by then', async () => {
    const long = new LongRun();
    await long.live();
    const { runId, core } = long;
    const history = await core.history();
    await expect(history.fork({ tenant, runId, seq: 33, editMessage: 'other words' })).rejects.toMatchObject({
      code: 'NO_MESSAGE',
    });
  });

  it('and leaves nothing behind', async () => {
    const workspace = await temporaryWorkspace();
    const options = { workspace, store: undefined as never, database: { file: join(workspace, 'd.db') } };
    const { detent } = await scripted([{ text: 'one' }], options);
    const { runId } = await detent.run('go').result;
    await detent.runs.fork(runId, { at: 1, session: 'taken' });
    await expect(detent.runs.fork(runId, { at: 1, session: 'taken' })).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    });
    expect(await detent.runs.list()).toHaveLength(2);
  });
});

async function start(core: Awaited<ReturnType<typeof coreWith>>): Promise<string> {
  const { startRequest } = await import('../../../src/runtime/requests/run-request.ts');
  const runId = await core.runs.start(startRequest('go', { model: 'test/script' }, {}, randomId('run')));
  await core.runs.settled(tenant, runId);
  return runId;
}

it('points the prompt of a fork to where it began by then, compacted or not', async () => {
  const long = new LongRun();
  await long.live();
  const { core, runId } = long;
  const history = await core.history();
  const headOf = async (id: string) => {
    const row = await core.runs.row(tenant, id);
    const { headRun, headSeq } =
      (await core.store.query('findSession', { tenant, key: row.sessionKey })) ?? {};
    return [headRun === row.pk ? 'own' : headRun, headSeq];
  };
  const before = await history.fork({ tenant, runId, seq: 30 });
  const after = await history.fork({ tenant, runId, seq: 31 });
  expect([await headOf(before.runId), await headOf(after.runId)]).toEqual([[0, 0], await headOf(runId)]);
  const { messages } = await standing(core.store, await core.runs.row(tenant, after.runId));
  const summary = messages.find(({ role }) => role === 'summary');
  expect(JSON.parse(summary?.body ?? '{}').head.run).toBe(summary?.run);
});
