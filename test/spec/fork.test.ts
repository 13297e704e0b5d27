import { expect } from 'vitest';
import type { Detent } from '../../src/index.ts';
import { fakeClock, scriptedModel } from '../../src/testing/index.ts';
import { gate, scripted, tool } from '../support/detent.ts';
import { calls, given, payment, resumed, saidTo, waitingToPay, when } from './support.ts';

// A fork is a copy of a run as it stood after a transition, in a session of its own. It moves when it is resumed, and asks
// again for what a person decided in the original.

const answers = (...texts: string[]) => texts.map((text) => ({ text }));

given('a run that has ended', () => {
  when('it is forked before its answer', 'the fork asks the model again; the original stays', async () => {
    const { detent, model } = await scripted(answers('one', 'two'));
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
    expect(await resumed(detent, fork.runId)).toMatchObject({ status: 'done', text: 'two' });
    expect(await detent.runs.show(runId)).toEqual(before);
  });

  when('it is forked at 0', 'the fork keeps the prompt alone, and starts from it', async () => {
    const { detent } = await scripted(answers('one', 'two'));
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 0 });
    expect(fork.open).toEqual([]);
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'unstarted', states: ['idle'] });
    expect(await resumed(detent, fork.runId)).toMatchObject({ status: 'done', text: 'two' });
  });

  when('it is forked at its end', 'the fork has ended, and its conversation goes on', async () => {
    const { detent, model } = await scripted(answers('one', 'two'));
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 2 });
    expect(await detent.runs.show(fork.runId)).toMatchObject({
      status: 'done',
      outcome: 'completed',
      text: 'one',
    });
    await detent.run('and then?', { sessionId: fork.sessionId }).result;
    expect(saidTo(model.requests[1])).toEqual(['go', 'one', 'and then?']);
  });

  when('there are runs before it in its session', 'the fork takes copies of them along', async () => {
    const { detent, model } = await scripted(answers('one', 'two', 'three'));
    await detent.run('first', { sessionId: 's' }).result;
    const { runId } = await detent.run('second', { sessionId: 's' }).result;
    const fork = await detent.runs.fork(runId, { at: 1 });
    const copies = await detent.runs.list({ sessionId: fork.sessionId });
    expect(copies.map(({ status }) => status)).toEqual(['unstarted', 'done']);
    await resumed(detent, fork.runId);
    expect(saidTo(model.requests[2])).toEqual(['first', 'one', 'second']);
    expect((await detent.runs.replayAll()).map(({ diverged }) => diverged)).toEqual([null, null, null, null]);
  });

  when('the fork names another model', 'that one answers', async () => {
    const other = scriptedModel(answers('another voice'));
    const { detent } = await scripted(answers('one'), { models: { other } });
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 1, model: 'other/one' });
    expect(await resumed(detent, fork.runId)).toMatchObject({ text: 'another voice' });
    await expect(detent.runs.fork(runId, { at: 1, model: 'nobody/one' })).rejects.toMatchObject({
      code: 'UNKNOWN_MODEL',
    });
  });

  when('the fork has other words', 'the model reads those; the original stays', async () => {
    const { detent, model } = await scripted(answers('one', 'two'), {
      env: { MY_TOKEN: 'hunter2-hunter2' },
    });
    const { runId } = await detent.run('count to one').result;
    const fork = await detent.runs.fork(runId, { at: 1, editMessage: 'count to hunter2-hunter2' });
    await resumed(detent, fork.runId);
    expect(saidTo(model.requests[1])).toEqual(['count to [redacted:MY_TOKEN]']);
    expect((await detent.runs.events(runId))[0]?.messages).toEqual([{ role: 'user', text: 'count to one' }]);
    await expect(detent.runs.fork(runId, { at: 1, editMessage: ' ' })).rejects.toMatchObject({
      code: 'EMPTY_PROMPT',
    });
  });

  for (const at of [-1, 3, 1.5])
    when(`it is forked at ${at}, which is no transition`, 'that is refused, with the range', async () => {
      const { detent } = await scripted(answers('one'));
      const { runId } = await detent.run('go').result;
      await expect(detent.runs.fork(runId, { at })).rejects.toMatchObject({
        code: 'SEQ_OUT_OF_RANGE',
        details: { first: 0, last: 2 },
        message: expect.stringContaining('0 to 2'),
      });
    });

  when('it does not exist, or is of another tenant', 'the fork is refused, and nothing is made', async () => {
    const { detent } = await scripted(answers('one'));
    const { runId } = await detent.run('go').result;
    for (const forking of [detent.runs.fork('run_none', { at: 0 }), detent.runs.fork(runId, { at: 0 }, 2)])
      await expect(forking).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await detent.runs.list()).toHaveLength(1);
  });
});

given('a run that was steered', () => {
  when('its fork has other words', 'they replace the newest message, not the prompt before it', async () => {
    const here = gate();
    const look = tool('look', { run: () => here.pass() });
    const { detent, model } = await scripted([calls('look'), ...answers('one', 'two')], {
      tools: { define: [look] },
    });
    const run = detent.run('first words');
    await here.reached;
    await run.steer('second words');
    here.open();
    const { runId } = await run.result;
    const fork = await detent.runs.fork(runId, { at: 4, editMessage: 'other words' });
    await resumed(detent, fork.runId);
    const asked = model.requests[2]?.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
    expect(asked).toEqual(['first words', 'other words']);
  });
});

given('a run that waits, or waited, for a person', () => {
  when('it is forked before the decision', 'the fork asks again, whatever was decided', async () => {
    const { detent, run, paid } = await waitingToPay(answers('paid', 'not paid'));
    await run.confirm('c2', { verdict: 'approve' });
    await run.result;
    const fork = await detent.runs.fork(run.runId, { at: 2 });
    const call = { callId: 'c2', tool: 'pay', arguments: '{"usd":9}' };
    expect(fork.open).toEqual([{ effect: 2, name: 'effect.runTool', status: 'held', ...call }]);
    const { status, pending } = await detent.runs.show(fork.runId);
    expect(status).toBe('waiting');
    expect(pending).toMatchObject([{ callId: 'c2', name: 'pay', arguments: { usd: 9 } }]);
    const hash = pending[0]?.argumentsHash ?? '';
    await detent.runs.confirm(fork.runId, 'c2', { verdict: 'reject', hash });
    expect(await resumed(detent, fork.runId)).toMatchObject({ status: 'done', text: 'not paid' });
    expect(paid).toHaveLength(1);
  });

  when('a person changed the arguments', 'the fork has those that the model wrote', async () => {
    const { detent, run, paid } = await waitingToPay(answers('ok', 'ok'));
    await run.confirm('c2', { verdict: 'modify', arguments: { usd: 1 } });
    await run.result;
    const fork = await detent.runs.fork(run.runId, { at: 2 });
    await detent.runs.confirm(fork.runId, 'c2', { verdict: 'approve' });
    await resumed(detent, fork.runId);
    expect(paid).toEqual([{ usd: 1 }, { usd: 9 }]);
  });

  when('it is forked behind the decision', 'a person says whether the call is made', async () => {
    const { detent, run, paid } = await waitingToPay(answers('paid', 'paid'));
    await run.confirm('c2', { verdict: 'approve' });
    await run.result;
    // 1 is the start, 2 the answer with the call, 3 the decision.
    const fork = await detent.runs.fork(run.runId, { at: 3 });
    expect(await resumed(detent, fork.runId)).toMatchObject({
      pending: [{ kind: 'reconcile', callId: 'c2' }],
    });
    expect(paid).toHaveLength(1);
    await detent.runs.reconcile(fork.runId, 'c2', { verdict: 'retry' });
    expect(await detent.runs.attach(fork.runId).result).toMatchObject({ status: 'done' });
    expect(paid).toHaveLength(2);
  });

  when('its request approved all', 'the fork has that approval only if it is given anew', async () => {
    const { pay, paid } = payment();
    const script = [calls('pay'), { text: 'ok' }, calls('pay'), calls('pay'), { text: 'ok' }];
    const { detent } = await scripted(script, { tools: { define: [pay] } });
    const { runId } = await detent.run('pay', { approve: 'all' }).result;
    const plain = await detent.runs.fork(runId, { at: 0 });
    expect((await resumed(detent, plain.runId)).status).toBe('waiting');
    const free = await detent.runs.fork(runId, { at: 0, approve: 'all' });
    expect((await resumed(detent, free.runId)).status).toBe('done');
    expect(paid).toHaveLength(2);
  });

  when('a run behind it is forked', 'that is refused: its conversation is not known yet', async () => {
    const { detent, run } = await waitingToPay();
    const second = await detent.run('next', { sessionId: 's' }).result;
    await expect(detent.runs.fork(second.runId, { at: 0 })).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      details: { behind: run.runId },
    });
  });
});

given('a fork that was not resumed', () => {
  const forked = async (at: number) => {
    const clock = fakeClock();
    const { detent } = await scripted(answers('one', 'two', 'three', 'four'), { clock });
    const { runId } = await detent.run('go', { limits: { timeoutMs: 1_000 } }).result;
    const fork = await detent.runs.fork(runId, { at });
    const status = async () => (await detent.runs.show(fork.runId)).status;
    return { clock, detent, fork, status };
  };

  when('a process drives everything', 'the fork does not move, and none of its time passes', async () => {
    const { clock, detent, fork, status } = await forked(1);
    await clock.advance(60_000);
    await detent.runs.resume();
    await detent.run('something else', { sessionId: 'other' }).started;
    expect(await status()).toBe('unstarted');
    expect(await detent.runs.list({ status: ['unstarted'] })).toMatchObject([{ runId: fork.runId }]);
    expect(await resumed(detent, fork.runId)).toMatchObject({ status: 'done' });
  });

  const ways: Record<
    string,
    (detent: Detent, fork: { runId: string; sessionId: string }) => Promise<unknown>
  > = {
    'it gets a message': (detent, { runId }) => detent.runs.steer(runId, 'and now?'),
    'its session gets a prompt': (detent, { sessionId }) => detent.run('and now?', { sessionId }).result,
  };
  for (const [happening, act] of Object.entries(ways))
    when(happening, 'it goes on, also from the very beginning', async () => {
      for (const at of [0, 1]) {
        const { detent, fork, status } = await forked(at);
        await act(detent, fork);
        await detent.runs.attach(fork.runId).result;
        expect(await status()).toBe('done');
      }
    });
});
