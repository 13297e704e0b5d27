import { describe, expect, it } from 'vitest';
import { PureRun } from './pure-run.ts';

describe('a queued run', () => {
  it('waits in idle for its turn, with an expiry', () => {
    const run = new PureRun({ queueMs: 5_000 });
    expect([run.path, run.delayOf('queue')]).toEqual(['idle', 5_000]);
  });

  it('asks for its first model call when it starts, and no longer expires', () => {
    const run = new PureRun();
    run.send({ type: 'run.start' });
    expect(run.path).toBe('active.working.thinking.requesting');
    expect(run.effects('effect.callModel')).toEqual([1]);
    expect([...run.timers.keys()]).toEqual(['deadline']);
  });

  it('fails when it waited too long', () => {
    const run = new PureRun().fire('queue');
    expect([run.path, ...run.ending]).toEqual(['failed', 'deadline', 'QUEUE_EXPIRED']);
  });

  it('can be cancelled, and asks for nothing', () => {
    const run = new PureRun().cancel();
    expect([run.path, run.output, run.names]).toEqual([
      'cancelled',
      { outcome: 'cancelled', error: null },
      ['timer.clear'],
    ]);
  });

  it('can be failed by its host', () => {
    const run = new PureRun();
    run.send({ type: 'run.faulted', code: 'MACHINE_FAULT', message: 'it threw' });
    expect([run.path, ...run.ending]).toEqual(['failed', 'internal_error', 'MACHINE_FAULT']);
  });

  it('takes messages, and shows them all to its first call', () => {
    const run = new PureRun().message().message();
    expect([run.path, run.context.unseen]).toEqual(['idle', 2]);
    run.send({ type: 'run.start' });
    expect(run.context.unseen).toBe(0);
  });
});

describe('an answer', () => {
  it('without calls ends the run', () => {
    const run = PureRun.started().answer();
    expect([run.path, run.output]).toEqual(['done', { outcome: 'completed', error: null }]);
  });

  it('that a message overtook leads to another call', () => {
    const run = PureRun.started().message().answer();
    expect([run.path, run.effects('effect.callModel')]).toEqual(['active.working.thinking.requesting', [2]]);
    expect(run.answer().path).toBe('done');
  });

  it.each([
    ['length', true, 'truncated', 'TRUNCATED'],
    ['length', false, 'truncated', 'TRUNCATED'],
    ['refusal', false, 'refused', 'REFUSED'],
    ['refusal', true, 'refused', 'REFUSED'],
    ['contentFilter', true, 'content_filtered', 'CONTENT_FILTERED'],
    ['contentFilter', false, 'content_filtered', 'CONTENT_FILTERED'],
  ] as const)('that ends with %s (text: %s) fails the run: %s', (finish, text, outcome, code) => {
    const run = PureRun.started().answer({ finish, text });
    expect([run.path, ...run.ending]).toEqual(['failed', outcome, code]);
  });

  it('cut at the output limit with whole calls in it is worked on', () => {
    const calls = [{ callId: 2, gate: 'run', class: 'readonly' } as const];
    const run = PureRun.started().answer({ finish: 'length', text: true, calls });
    expect(run.path).toBe('active.working.tooling.executing');
  });

  it('cut at the output limit is forgiven when a message waits', () => {
    const run = PureRun.started().message().answer({ finish: 'length' });
    expect(run.path).toBe('active.working.thinking.requesting');
  });

  it.each(['refusal', 'contentFilter'] as const)(
    'of %s fails the run even when a message waits',
    (finish) => {
      expect(PureRun.started().message().answer({ finish }).path).toBe('failed');
    },
  );

  it('of unknown finish counts as an answer when it has words', () => {
    expect(PureRun.started().answer({ finish: 'unknown' }).ending[0]).toBe('completed');
  });

  it('of nothing is asked again five times in a row, and then ends the run degraded', () => {
    const run = PureRun.started();
    for (let i = 1; i <= 5; i++) {
      run.answer({ text: false });
      expect([i, run.path]).toEqual([i, 'active.working.thinking.requesting']);
    }
    expect(run.answer({ text: false }).ending).toEqual(['completed_degraded', undefined]);
  });

  it('of nothing is forgotten by any answer that is not', () => {
    const run = PureRun.started();
    for (let i = 0; i < 4; i++) run.answer({ text: false });
    run.ask('readonly');
    expect(run.context.empty).toBe(0);
    run.done(run.calls('started')[0] ?? 0);
    for (let i = 0; i < 4; i++) run.answer({ text: false });
    expect(run.answer().ending).toEqual(['completed', undefined]);
  });
});

describe('a finished run', () => {
  const endings = {
    done: () => PureRun.started().answer(),
    failed: () => PureRun.started().failModel(),
    cancelled: () => PureRun.started().cancel(),
  };

  it.each(Object.entries(endings))('%s is final, with its outcome', (state, end) => {
    const { snapshot, output } = end();
    expect([snapshot.status, snapshot.value]).toEqual(['done', state]);
    expect(output?.outcome).toBeTypeOf('string');
  });

  it.each(Object.entries(endings))('%s leaves no timer and nothing in flight', (_, end) => {
    const run = end();
    expect([run.timers.size, run.inFlight.size, run.context.pending]).toEqual([0, 0, []]);
  });

  it.each(Object.entries(endings))('%s takes nothing any more', (_, end) => {
    const run = end();
    expect(run.send({ type: 'run.start' })).toBe(false);
    expect(run.send({ type: 'run.message' })).toBe(false);
    expect(run.send({ type: 'run.cancel' })).toBe(false);
    expect(run.send({ type: 'run.faulted', code: 'X', message: 'x' })).toBe(false);
    expect(run.send({ type: 'timer.deadline' })).toBe(false);
    expect(run.send({ type: 'run.resumed', lastAt: 0 })).toBe(false);
  });
});
