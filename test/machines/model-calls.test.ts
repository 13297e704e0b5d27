import { describe, expect, it } from 'vitest';
import { failure, PureRun, passing } from './pure-run.ts';

const requesting = 'active.working.thinking.requesting';
const backingOff = 'active.working.thinking.backingOff';

describe('a failing model call', () => {
  it('waits as long as its host says, then tries again under a new effect', () => {
    const run = PureRun.started().failModel({ error: passing, delayMs: 1_234 });
    expect([run.path, run.delayOf('backoff')]).toEqual([backingOff, 1_234]);
    run.fire('backoff');
    expect([run.path, run.effects('effect.callModel'), run.timers.has('backoff')]).toEqual([
      requesting,
      [2],
      false,
    ]);
  });

  it('counts its attempts, and fails the run with the last error', () => {
    const run = PureRun.started({ attempts: 3 });
    for (let attempt = 1; attempt < 3; attempt++) run.failModel({ error: passing }).fire('backoff');
    expect(run.actions.at(-1)?.params).toMatchObject({ attempt: 3 });
    run.failModel({ error: { ...passing, message: 'the third time' } });
    expect(run.output).toEqual({
      outcome: 'provider_error',
      error: { ...passing, message: 'the third time' },
    });
  });

  it('counts them anew for the next call', () => {
    const run = PureRun.started({ attempts: 2 })
      .failModel({ error: passing })
      .fire('backoff')
      .ask('readonly');
    run.done(run.calls('started')[0] ?? 0);
    expect(run.failModel({ error: passing }).path).toBe(backingOff);
  });

  it('is not tried again when its error will not pass', () => {
    expect(PureRun.started().failModel({ error: failure }).path).toBe('failed');
  });

  it('is tried again whether or not its answer had begun', () => {
    const run = PureRun.started({ attempts: 2 }).failModel({ error: passing, partial: true });
    expect(run.path).toBe(backingOff);
    run.fire('backoff').failModel({ error: passing, partial: true });
    expect(run.ending).toEqual(['provider_error', passing.code]);
  });

  it.each(['provider_error', 'internal_error', 'blocked_by_environment'] as const)(
    'ends the run with the outcome its host gives: %s',
    (outcome) => {
      expect(PureRun.started().failModel({ outcome }).ending[0]).toBe(outcome);
    },
  );

  it('has its cost counted, whether it is tried again or not', () => {
    const cost = { inputTokens: 7, outputTokens: 3, costUsd: 0.5 };
    const run = PureRun.started().failModel({ error: passing, cost }).fire('backoff').failModel({ cost });
    expect(run.context).toMatchObject({ tokensIn: 14, tokensOut: 6, costUsd: 1 });
  });

  it('leaves nothing awaited while it backs off', () => {
    const run = PureRun.started().failModel({ error: passing });
    expect([run.context.awaiting, run.inFlight.size]).toEqual([null, 0]);
    expect(run.cancel().aborted).toEqual([]);
  });

  it('takes messages while it backs off, and the next attempt sees them', () => {
    const run = PureRun.started().failModel({ error: passing }).message();
    expect([run.path, run.context.unseen]).toEqual([backingOff, 1]);
    expect(run.fire('backoff').context.unseen).toBe(0);
  });

  it('with one attempt is never tried again', () => {
    expect(PureRun.started({ attempts: 1 }).failModel({ error: passing }).path).toBe('failed');
  });
});

describe('an effect that kills its driver', () => {
  it('fails the run as poisoned when it is a model call', () => {
    const run = PureRun.started();
    run.send({ type: 'effect.poisoned', effectId: 1 });
    expect([run.path, ...run.ending]).toEqual(['failed', 'poisoned', 'POISONED']);
  });

  it('fails the run as poisoned when it is a tool call, and closes the others', () => {
    const run = PureRun.started().ask('readonly', 'readonly');
    run.send({ type: 'effect.poisoned', effectId: 3 });
    expect(run.ending[0]).toBe('poisoned');
    expect([...run.closed]).toEqual([
      [2, ['ABORTED']],
      [3, ['ABORTED']],
    ]);
  });

  it.each([
    ['flush', () => PureRun.started().tooBig()],
    ['compaction', () => PureRun.started().tooBig().flushed()],
  ])('fails the run as poisoned when it is a %s', (_, make) => {
    const run = make();
    run.send({ type: 'effect.poisoned', effectId: run.awaiting });
    expect(run.ending[0]).toBe('poisoned');
  });

  it('is nothing to the run when it was another one', () => {
    expect(PureRun.started().send({ type: 'effect.poisoned', effectId: 9 })).toBe(false);
  });
});

describe('a machine that threw', () => {
  it.each([
    ['requesting', () => PureRun.started(), [1]],
    ['backing off', () => PureRun.started().failModel({ error: passing }), []],
    ['executing', () => PureRun.started().ask('readonly'), [2]],
    ['flushing', () => PureRun.started().tooBig(), [2]],
    ['awaiting a decision', () => PureRun.started().ask('ask unsafe'), []],
    ['reconciling', () => PureRun.started().ask('unsafe').doubt(2), []],
  ] as const)('ends its run as internal_error while %s', (_, make, aborted) => {
    const run = make();
    run.send({ type: 'run.faulted', code: 'MACHINE_FAULT', message: 'it threw' });
    expect([run.path, ...run.ending]).toEqual(['failed', 'internal_error', 'MACHINE_FAULT']);
    expect([run.aborted, run.timers.size]).toEqual([aborted, 0]);
  });
});

describe('a model that cannot serve', () => {
  it('is passed over: the call goes on with the next one, under a new effect and as a first attempt', () => {
    const run = PureRun.started({ attempts: 2 }).failModel({ error: passing }).fire('backoff').switchModel();
    expect([run.path, run.effects('effect.callModel')]).toEqual([requesting, [3]]);
    expect(run.actions.at(-1)?.params).toMatchObject({ route: 1, attempt: 1 });
    expect(run.failModel({ error: passing }).path).toBe(backingOff);
  });

  it('is asked again for the next answer', () => {
    const run = PureRun.started().switchModel().ask('readonly');
    run.done(run.calls('started')[0] ?? 0);
    expect(run.actions.at(-1)?.params).toMatchObject({ route: 0 });
  });

  it('has its cost counted', () => {
    const run = PureRun.started().switchModel({ inputTokens: 7, outputTokens: 3, costUsd: 0.5 });
    expect(run.context).toMatchObject({ tokensIn: 7, tokensOut: 3, costUsd: 0.5 });
  });

  it('is not passed over for ever', () => {
    const run = PureRun.started();
    let switches = 0;
    while (run.path === requesting && switches++ < 100) run.switchModel();
    expect([switches, ...run.ending]).toEqual([8, 'provider_error', passing.code]);
  });
});

describe('the waits of one model call', () => {
  it('are added up over attempts and models, for the host to bound, until the answer', () => {
    const run = PureRun.started()
      .failModel({ error: passing, delayMs: 1_000 })
      .fire('backoff')
      .switchModel()
      .failModel({ error: passing, delayMs: 500 });
    expect(run.context.waitedMs).toBe(1_500);
    expect(run.fire('backoff').answer().context.waitedMs).toBe(0);
  });
});
