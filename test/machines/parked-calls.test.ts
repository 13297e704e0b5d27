import { describe, expect, it } from 'vitest';
import { PureRun } from './pure-run.ts';

const limits = { workMs: 10_000, confirmMs: 60_000 };
const farMs = 366 * 24 * 60 * 60_000;

const park = (run: PureRun, callId: number) => run.send({ type: 'subrun.parked', callId });
const goOn = (run: PureRun, callId: number) => run.send({ type: 'subrun.resumed', callId });

/** A run whose one call has worked for a second and is parked then. */
function parked(): PureRun {
  const run = PureRun.started(limits).ask('idempotent').later(1_000);
  park(run, 2);
  return run;
}

/** A run with two calls at work side by side, for a second. */
function two(): PureRun {
  return PureRun.started(limits).ask('readonly', 'readonly').later(1_000);
}

describe('a call whose sub-run waits for a person', () => {
  it('puts the deadline off, and stays at work', () => {
    const run = parked();
    expect([run.path, run.calls('parked'), [...run.inFlight]]).toEqual([
      'active.working.tooling.executing',
      [2],
      [2],
    ]);
    expect([run.context.spentMs, run.delayOf('deadline')]).toEqual([1_000, farMs]);
  });

  it('costs no working time until its sub-run goes on', () => {
    const run = parked().later(86_400_000);
    goOn(run, 2);
    expect([run.calls('started'), run.context.spentMs, run.delayOf('deadline')]).toEqual([[2], 1_000, 9_000]);
    run.later(2_000).done(2);
    expect([run.path, run.delayOf('deadline')]).toEqual(['active.working.thinking.requesting', 7_000]);
  });

  it('has the time that is left when it ends as it is', () => {
    const ends = [(run: PureRun) => run.done(2), (run: PureRun) => run.fail(2)];
    for (const end of ends) {
      const run = parked().later(86_400_000);
      end(run);
      expect([run.path, run.delayOf('deadline')]).toEqual(['active.working.thinking.requesting', 9_000]);
    }
    const doubted = parked().later(86_400_000).doubt(2);
    expect([doubted.path, doubted.context.spentMs]).toEqual(['active.reconciling', 1_000]);
  });

  it('stays parked while the run is steered', () => {
    const run = parked().later(5_000).message();
    expect([run.calls('parked'), run.delayOf('deadline')]).toEqual([[2], farMs - 5_000]);
    run.later(5_000);
    goOn(run, 2);
    expect([run.context.spentMs, run.delayOf('deadline')]).toEqual([1_000, 9_000]);
  });

  it('is at work again for a driver that takes the run over, however long that took', () => {
    const run = parked().later(3_000);
    const lastAt = run.at;
    run.later(86_400_000).send({ type: 'run.resumed', lastAt });
    expect([run.calls('started'), run.context.spentMs, run.delayOf('deadline')]).toEqual([[2], 1_000, 9_000]);
    expect(park(run.later(500), 2)).toBe(true);
    expect([run.context.spentMs, run.delayOf('deadline')]).toEqual([1_500, farMs]);
  });

  it('is aborted and closed with its run', () => {
    const cancelled = parked().cancel();
    expect([cancelled.path, cancelled.aborted, cancelled.timers.size]).toEqual(['cancelled', [2], 0]);
    const late = parked().fire('deadline');
    expect([late.ending, [...late.closed]]).toEqual([['deadline', 'DEADLINE'], [[2, ['ABORTED']]]]);
    expect(late.context.spentMs).toBe(1_000);
  });
});

describe('several parked calls', () => {
  it('stop the clock with the first, and start it with the last', () => {
    const run = two();
    park(run, 2);
    park(run.later(1_000), 3);
    goOn(run.later(1_000), 2);
    expect([run.context.spentMs, run.delayOf('deadline')]).toEqual([1_000, farMs]);
    goOn(run.later(1_000), 3);
    expect([run.context.spentMs, run.delayOf('deadline')]).toEqual([1_000, 9_000]);
  });

  it('keep it stopped when another call ends', () => {
    const run = two();
    park(run, 2);
    run.later(1_000).done(3);
    expect([run.path, run.calls('parked'), run.delayOf('deadline')]).toEqual([
      'active.working.tooling.executing',
      [2],
      farMs - 1_000,
    ]);
  });

  it('keep it stopped after a question of another call, and change no timer meanwhile', () => {
    const run = two();
    park(run, 2);
    run.later(1_000).send({ type: 'tool.asked', callId: 3 });
    expect([run.path, [...run.timers.keys()]]).toEqual(['active.awaitingConfirm', ['confirm']]);
    expect([goOn(run, 2), park(run, 2), [...run.timers.keys()]]).toEqual([true, true, ['confirm']]);
    run.later(1_000).decide(3, 'reject');
    expect([run.context.spentMs, run.delayOf('deadline')]).toEqual([1_000, farMs]);
  });

  it('are at work again after a take-over while another call asks', () => {
    const run = two();
    park(run, 2);
    run.send({ type: 'tool.asked', callId: 3 });
    expect(run.send({ type: 'run.resumed', lastAt: run.at })).toBe(true);
    expect([run.calls('started'), run.calls('asking')]).toEqual([[2], [3]]);
    expect(run.decide(3, 'reject').delayOf('deadline')).toBe(9_000);
  });
});

describe('what is said of a sub-run', () => {
  it('changes nothing a second time', () => {
    const run = parked();
    expect(park(run.later(1_000), 2)).toBe(false);
    expect(goOn(run, 2)).toBe(true);
    expect(goOn(run.later(1_000), 2)).toBe(false);
  });

  it.each([
    ['is queued', () => new PureRun()],
    ['asks a person about the call', () => PureRun.started(limits).ask('ask idempotent')],
    ['knows no such call', () => PureRun.started(limits).ask('refuse', 'readonly', 'readonly')],
    ['has gone on without the call', () => PureRun.started(limits).ask('idempotent').done(2)],
    ['reconciles the call', () => PureRun.started(limits).ask('idempotent').doubt(2)],
    ['has ended', () => PureRun.started(limits).ask('idempotent').cancel()],
  ])('is ignored by a run that %s', (_, make) => {
    const run = make();
    expect([park(run, 2), goOn(run, 2)]).toEqual([false, false]);
  });
});
