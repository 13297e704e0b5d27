import { expect } from 'vitest';
import { fakeClock } from '../../src/testing/index.ts';
import { scripted, tool } from '../support/detent.ts';
import { atWork, calls, callsOf, given, saidTo, waitingToPay, when } from './support.ts';

// A session is a lane: its runs are strictly serial, and each sees what was said before it.

const look = tool('look');
const write = tool('write', { sideEffect: 'unsafe' });
const tools = { define: [look, write] };

given('a session whose run is at work', () => {
  when('a prompt comes', 'it is queued, and sees what came before it', async () => {
    const { detent, model, run, open } = await atWork([{ text: 'two' }]);
    const second = detent.run('second', { sessionId: 's' });
    await second.started;
    expect((await detent.runs.show(second.runId)).status).toBe('queued');
    open();
    expect([(await run.result).text, (await second.result).text]).toEqual(['one', 'two']);
    expect(saidTo(model.requests[1])).toEqual(['first', 'one', 'second']);
  });

  when('two prompts come', 'the third waits for the second, not only for the first', async () => {
    const { detent, run, open } = await atWork([{ text: 'two' }, { text: 'three' }]);
    const second = detent.run('second', { sessionId: 's' });
    const third = detent.run('third', { sessionId: 's' });
    await Promise.all([second.started, third.started]);
    const result = third.result;
    open();
    await run.result;
    expect(await result).toMatchObject({ status: 'done', text: 'three' });
  });

  when('a prompt comes that steers', 'it joins the run at work, and no second run is made', async () => {
    const { detent, model, run, open } = await atWork([{ text: 'two' }]);
    const second = detent.run('second', { sessionId: 's', mode: 'steer' });
    expect(await second.started).toBe(run.runId);
    expect(second.runId).toBe(run.runId);
    open();
    expect((await second.result).text).toBe('two');
    expect(await detent.runs.list()).toHaveLength(1);
    model.assertComplete();
  });

  when('a prompt steers it away from its calls', 'calls that have not begun are skipped', async () => {
    const { detent, run, open } = await atWork([{ text: 'two' }], calls('look', 'write'), { tools });
    await detent.run('stop', { sessionId: 's', mode: 'steer' }).started;
    open();
    const view = await run.result;
    expect(callsOf(view)).toEqual([
      ['skipped', 'SKIPPED'],
      ['skipped', 'SKIPPED'],
    ]);
    expect(view.states).not.toContain('active.awaitingConfirm');
  });

  when('a prompt comes that interrupts', 'the run is cancelled, and the new one goes on', async () => {
    const { detent, run } = await atWork([{ text: 'two' }]);
    const second = detent.run('second', { sessionId: 's', mode: 'interrupt' });
    expect([(await run.result).status, (await second.result).text]).toEqual(['cancelled', 'two']);
  });

  when('a queued run is cancelled', 'the line closes up behind it', async () => {
    const { detent, run, open } = await atWork([{ text: 'three' }]);
    const second = detent.run('second', { sessionId: 's' });
    const third = detent.run('third', { sessionId: 's' });
    await Promise.all([second.started, third.started]);
    expect(await second.cancel()).toBe(true);
    open();
    await run.result;
    expect([(await second.result).status, (await third.result).text]).toEqual(['cancelled', 'three']);
  });

  when('another session gets a prompt', 'that run does not wait', async () => {
    const { detent } = await atWork([{ text: 'two' }]);
    expect((await detent.run('second', { sessionId: 't' }).result).text).toBe('two');
  });
});

given('a session whose run ends at that moment', () => {
  when('a prompt comes that steers', 'it becomes a run of its own, and is not lost', async () => {
    for (let turns = 0; turns < 20; turns++) {
      const { detent, model, open } = await atWork([{ text: 'two' }]);
      open();
      for (let i = 0; i < turns; i++) await Promise.resolve();
      const second = detent.run('second', { sessionId: 's', mode: 'steer' });
      expect((await second.result).text).toBe('two');
      expect(saidTo(model.requests[1]).at(-1)).toBe('second');
      await detent.close();
    }
  });
});

given('a session whose run waits for a person', () => {
  when('more prompts come', 'they wait until that run has ended', async () => {
    const { detent, run } = await waitingToPay([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const second = detent.run('second', { sessionId: 's' });
    const third = detent.run('third', { sessionId: 's' });
    expect([(await second.result).status, (await third.result).status]).toEqual(['queued', 'queued']);
    await run.confirm('c2', { verdict: 'approve' });
    expect((await third.result).text).toBe('three');
    expect((await second.result).text).toBe('two');
  });

  when('a queued run has waited longer than it may', 'it fails, and the run before it stays', async () => {
    const clock = fakeClock();
    const { detent, run } = await waitingToPay([], { clock });
    const second = detent.run('second', { sessionId: 's', limits: { queueExpiryMs: 60_000 } });
    await second.started;
    await clock.advance(59_000);
    expect((await detent.runs.show(second.runId)).status).toBe('queued');
    await clock.advance(1_000);
    expect((await detent.runs.show(second.runId)).status).toBe('failed');
    expect((await detent.runs.show(run.runId)).status).toBe('waiting');
  });
});

given('a free session', () => {
  for (const mode of ['queue', 'steer', 'interrupt'] as const)
    when(`a prompt comes with the mode ${mode}`, 'it starts a run', async () => {
      const { detent } = await scripted([{ text: 'one' }]);
      const run = detent.run('first', { sessionId: 's', mode });
      expect(await run.started).toBe(run.runId);
      expect((await run.result).text).toBe('one');
    });

  when('twenty prompts come at once', 'all are answered, one after the other', async () => {
    const { detent, model } = await scripted(Array.from({ length: 20 }, (_, i) => ({ text: `answer ${i}` })));
    const runs = Array.from({ length: 20 }, (_, i) => detent.run(`question ${i}`, { sessionId: 's' }));
    const views = await Promise.all(runs.map((run) => run.result));
    expect(views.map(({ status }) => status)).toEqual(runs.map(() => 'done'));
    const said = saidTo(model.requests.at(-1));
    const before = Array.from({ length: 19 }, (_, i) => [`question ${i}`, `answer ${i}`]);
    expect(said).toEqual([...before.flat(), 'question 19']);
  });
});

given('prompts that name no session', () => {
  when('they come', 'each has a session of its own', async () => {
    const { detent } = await scripted([{ text: 'a' }, { text: 'b' }]);
    await detent.run('one').result;
    await detent.run('two').result;
    const sessions = await detent.sessions.list();
    expect(sessions.map(({ runs }) => runs)).toEqual([1, 1]);
    expect(sessions[0]?.sessionId).toMatch(/^ses_/);
  });
});
