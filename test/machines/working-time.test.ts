import { describe, expect, it } from 'vitest';
import { PureRun } from './pure-run.ts';

const limits = { workMs: 10_000, confirmMs: 60_000, reconcileMs: 60_000 };

describe('the deadline', () => {
  it('counts from the start, over all steps', () => {
    const run = PureRun.started(limits).later(4_000).ask('readonly').later(2_000);
    run.done(run.calls('started')[0] ?? 0).later(1_000);
    expect(run.delayOf('deadline')).toBe(3_000);
  });

  it('fails the run in the middle of a model call, and aborts it', () => {
    const run = PureRun.started(limits).fire('deadline');
    expect([run.path, ...run.ending, run.aborted]).toEqual(['failed', 'deadline', 'DEADLINE', [1]]);
  });

  it('fails the run in the middle of its tool calls, and closes each of them once', () => {
    const run = PureRun.started({ ...limits, parallel: 2 }).ask('readonly', 'readonly', 'unsafe');
    run.fire('deadline');
    expect(run.aborted).toEqual([2, 3]);
    expect([...run.closed]).toEqual([
      [2, ['ABORTED']],
      [3, ['ABORTED']],
      [4, ['CANCELLED']],
    ]);
  });

  it('fails the run while it backs off', () => {
    const run = PureRun.started(limits).failModel({
      error: { code: 'X', message: 'x', retryable: true },
      delayMs: 60_000,
    });
    expect(run.path).toBe('active.working.thinking.backingOff');
    expect(run.fire('deadline').ending[0]).toBe('deadline');
    expect(run.timers.size).toBe(0);
  });

  it('fails the run while it compacts', () => {
    expect(PureRun.started(limits).tooBig().fire('deadline').ending[0]).toBe('deadline');
    expect(PureRun.started(limits).tooBig().flushed().fire('deadline').ending[0]).toBe('deadline');
  });

  it('does not run while a person decides, and goes on where it was', () => {
    const run = PureRun.started(limits).later(4_000).ask('ask unsafe');
    expect([run.path, run.delayOf('deadline')]).toEqual(['active.awaitingConfirm', undefined]);
    run.later(50_000).decide(2, 'approve');
    expect([run.context.spentMs, run.delayOf('deadline')]).toEqual([4_000, 6_000]);
  });

  it('does not run while a person reconciles', () => {
    const run = PureRun.started(limits).ask('unsafe').later(3_000).doubt(2);
    expect([run.path, run.delayOf('deadline')]).toEqual(['active.reconciling', undefined]);
    run.later(59_000).reconcile(2, 'skip');
    expect(run.delayOf('deadline')).toBe(7_000);
  });

  it('adds up over several waits', () => {
    const run = PureRun.started({ ...limits, steps: 10 });
    for (let round = 1; round <= 4; round++) {
      run.later(1_000).ask('ask unsafe');
      run.later(30_000).decide(run.calls('asked')[0] ?? 0, 'reject');
    }
    expect(run.delayOf('deadline')).toBe(6_000);
  });

  it('does not count the time when no driver lived', () => {
    const run = PureRun.started(limits).later(3_000);
    const lastAt = run.at;
    run.later(86_400_000);
    run.send({ type: 'run.resumed', lastAt });
    expect(run.delayOf('deadline')).toBe(7_000);
    run.later(2_000).ask('ask unsafe');
    expect(run.context.spentMs).toBe(5_000);
  });

  it('fires at once when there is no time left', () => {
    const run = PureRun.started(limits).later(12_000).ask('ask unsafe').later(1).decide(2, 'approve');
    expect(run.delayOf('deadline')).toBe(0);
  });

  it('is not set back by clocks that run backwards', () => {
    const run = PureRun.started(limits).later(-5_000).ask('ask unsafe');
    expect(run.context.spentMs).toBe(0);
    run.decide(2, 'approve');
    run.send({ type: 'run.resumed', lastAt: run.at - 1_000 });
    expect(run.context.spentMs).toBe(0);
  });
});

describe('a driver that takes over', () => {
  it.each([
    ['idle', () => new PureRun()],
    ['awaitingConfirm', () => PureRun.started().ask('ask unsafe')],
    ['reconciling', () => PureRun.started().ask('unsafe').doubt(2)],
  ])('changes nothing of a run in %s', (_, make) => {
    const run = make();
    expect(run.send({ type: 'run.resumed', lastAt: 0 })).toBe(false);
  });
});
