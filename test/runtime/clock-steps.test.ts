import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../src/testing/index.ts';
import { atRest, scheduled } from '../schedule/support.ts';
import { gate, scripted, tool } from '../support/detent.ts';

const [minute, hour] = [60_000, 3_600_000];
const steps = [
  ['forward', hour],
  ['back', -hour],
] as const;

/** A run with two minutes of working time whose tool works until it is let go. */
async function working() {
  const clock = fakeClock();
  const held = gate();
  const hold = tool('hold', { timeoutMs: hour, run: (_, { signal }) => held.pass(signal).then(() => 'ok') });
  const script = [{ toolCalls: [{ name: 'hold' }] }, { text: 'done' }];
  const { detent } = await scripted(script, { clock, tools: { define: [hold] } });
  const run = detent.run('go', { limits: { timeoutMs: 2 * minute } });
  await held.reached;
  await clock.advance(minute);
  return { clock, detent, run, held };
}

describe.each(steps)('a run at work when the clock steps %s by an hour', (_, ms) => {
  it('goes on, for as long as it has worked less than it may', async () => {
    const { clock, run, held, detent } = await working();
    await clock.step(ms);
    await clock.advance(minute - 10_000);
    held.open();
    const { runId, status } = await run.result;
    expect(status).toBe('done');
    expect(await detent.runs.replay(runId)).toMatchObject({ diverged: null });
  });

  it('ends when it has worked as long as it may', async () => {
    const { clock, run } = await working();
    await clock.step(ms);
    await clock.advance(minute + 10_000);
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'DEADLINE' } });
  });

  it('goes on when an event comes before any timer', async () => {
    const { clock, run, held } = await working();
    const stepped = clock.step(ms);
    held.open();
    await stepped;
    expect((await run.result).status).toBe('done');
  });
});

describe('what is on record by the clock', () => {
  it.each(steps)('a question expires at its time after a step %s', async (_, ms) => {
    const clock = fakeClock();
    const pay = tool('pay', { sideEffect: 'unsafe' });
    const script = [{ toolCalls: [{ name: 'pay' }] }, { text: 'not paid' }];
    const { detent } = await scripted(script, { clock, tools: { define: [pay] } });
    const run = detent.run('pay', { limits: { confirmExpiryMs: 2 * hour } });
    const expiresAt = clock.now() + 2 * hour;
    await run.result;
    await clock.step(ms);
    await clock.advance(expiresAt - clock.now() - 1_000);
    expect((await detent.runs.show(run.runId)).status).toBe('waiting');
    await clock.advance(2_000);
    expect((await detent.runs.show(run.runId)).status).toBe('done');
  });

  it.each(steps)('each slot of a job runs once around a step %s', async (_, ms) => {
    const { clock, detent, scheduler } = scheduled();
    await scheduler.start();
    await scheduler.add({
      jobId: 'j',
      cron: '*/30 * * * *',
      prompt: 'Go.',
      misfire: 'all',
      keep: 1000,
      timeZone: 'UTC',
    } as never);
    await atRest({ clock, scheduler });
    const until = clock.now() + 4 * hour;
    await clock.advance(95 * minute);
    await atRest({ clock, scheduler });
    await clock.step(ms);
    await atRest({ clock, scheduler });
    while (clock.now() < until) {
      await clock.advance(10 * minute);
      await atRest({ clock, scheduler });
    }
    const slots = (await scheduler.history('j', { limit: 100 })).map(({ slot }) => slot);
    expect(new Set(slots).size).toBe(slots.length);
    expect(slots.length).toBe(8);
    expect(await detent.runs.list()).toHaveLength(8);
  });

  it.each(steps)('a budget of a day gives no more in a day after a step %s', async (_, ms) => {
    const clock = fakeClock(Date.UTC(2026, 0, 2, 0, 10));
    const usage = { inputTokens: 60, outputTokens: 40 };
    const { detent } = await scripted(
      Array.from({ length: 5 }, () => ({ text: 'ok', usage })),
      { clock, budgets: { team: { maxTokens: 100, per: 'day' } } },
    );
    const spend = async () => (await detent.run('go', { budget: 'team' }).result).error?.code ?? 'ok';
    expect([await spend(), await spend()]).toEqual(['ok', 'BUDGET_EXHAUSTED']);
    await clock.step(ms);
    // An hour back is the day before, which has a budget of its own.
    expect([await spend(), await spend()]).toEqual(
      ms > 0 ? ['BUDGET_EXHAUSTED', 'BUDGET_EXHAUSTED'] : ['ok', 'BUDGET_EXHAUSTED'],
    );
    await clock.step(-ms);
    expect(await spend()).toBe('BUDGET_EXHAUSTED');
  });

  it.each(steps)('a key gets the answer of the first request after a step %s', async (_, ms) => {
    const clock = fakeClock();
    const { detent } = await scripted([], { clock });
    let count = 0;
    const once = () => detent.requests.once({ key: 'k', name: 'pay' }, async () => ++count);
    expect(await once()).toBe(1);
    await clock.step(ms);
    expect(await once()).toBe(1);
    await clock.step(-ms);
    expect(await once()).toBe(1);
  });
});
