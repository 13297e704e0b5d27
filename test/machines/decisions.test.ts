import { describe, expect, it } from 'vitest';
import { PureRun } from './pure-run.ts';

const executing = 'active.working.tooling.executing';
const requesting = 'active.working.thinking.requesting';

describe('decisions on the calls of one answer', () => {
  it('are asked together, before any call starts', () => {
    const run = PureRun.started().ask('readonly', 'ask unsafe', 'readonly', 'ask probe');
    expect([run.path, run.inFlight.size]).toEqual(['active.awaitingConfirm', 0]);
    expect(run.actions.filter(({ type }) => type === 'confirm.request').map(({ params }) => params)).toEqual([
      { kind: 'confirm', calls: [3, 5] },
    ]);
  });

  it('are waited for until the last, in any order', () => {
    const run = PureRun.started().ask('ask unsafe', 'ask unsafe').decide(3, 'approve');
    expect([run.path, run.calls('asked'), run.inFlight.size]).toEqual(['active.awaitingConfirm', [2], 0]);
    run.decide(2, 'approve');
    expect([run.path, run.effects('effect.runTool')]).toEqual([executing, [2]]);
    expect(run.done(2).effects('effect.runTool')).toEqual([3]);
  });

  it('keep their one expiry, which a single decision does not prolong', () => {
    const run = PureRun.started({ confirmMs: 10_000 }).ask('ask unsafe', 'ask unsafe');
    run.later(6_000).decide(2, 'approve');
    expect(run.delayOf('confirm')).toBe(4_000);
  });

  it('give a rejected call its result at once', () => {
    const run = PureRun.started().ask('ask unsafe', 'ask unsafe').decide(2, 'reject');
    expect([run.path, [...run.closed]]).toEqual(['active.awaitingConfirm', [[2, ['REJECTED_BY_USER']]]]);
  });

  it('lead back to the model when all were rejected', () => {
    const run = PureRun.started().ask('ask unsafe').decide(2, 'reject');
    expect([run.path, run.delayOf('confirm')]).toEqual([requesting, undefined]);
  });

  it('are no failure of the model: rejecting for ever never counts as a loop', () => {
    const run = PureRun.started({ errors: 2, repeats: 2, steps: 100 });
    for (let i = 0; i < 10; i++) {
      run.ask('ask unsafe');
      run.decide(run.calls('asked')[0] ?? 0, 'reject');
    }
    expect([run.path, run.context.errors]).toEqual([requesting, 0]);
    expect(run.answer().ending).toEqual(['completed', undefined]);
  });

  it('can change what a call is: a read-only one joins its neighbours', () => {
    const run = PureRun.started().ask('ask unsafe', 'readonly').decide(2, 'modify', 'readonly');
    expect(run.effects('effect.runTool')).toEqual([2, 3]);
  });

  it('can change what a call is: an unsafe one runs alone', () => {
    const run = PureRun.started().ask('ask readonly', 'readonly').decide(2, 'modify', 'unsafe');
    expect(run.effects('effect.runTool')).toEqual([2]);
    run.doubt(2);
    expect(run.path).toBe('active.reconciling');
  });

  it('keep the class of a call that is approved', () => {
    const run = PureRun.started().ask('ask probe').decide(2, 'approve');
    expect(run.context.pending).toEqual([{ id: 2, class: 'probe', state: 'started' }]);
  });

  it('are refused for calls that are not asked about', () => {
    const run = PureRun.started().ask('ask unsafe', 'readonly');
    for (const callId of [1, 3, 99])
      expect(run.send({ type: 'confirm.decide', callId, verdict: 'approve' })).toBe(false);
  });

  it('are refused a second time', () => {
    const run = PureRun.started().ask('ask unsafe', 'ask unsafe').decide(2, 'approve');
    expect(run.send({ type: 'confirm.decide', callId: 2, verdict: 'reject' })).toBe(false);
  });

  it.each(['deny', 'rejected', 'APPROVE', '', null, undefined])(
    'that are neither an approval nor a change count as rejections: %j',
    (verdict) => {
      const run = PureRun.started()
        .ask('ask unsafe')
        .decide(2, verdict as 'reject');
      expect([run.path, run.closed.get(2)]).toEqual([requesting, ['REJECTED_BY_USER']]);
      expect(run.history.filter(({ type }) => type === 'effect.runTool')).toEqual([]);
    },
  );

  it('expire as rejections of what is undecided; what was approved runs', () => {
    const run = PureRun.started()
      .ask('ask unsafe', 'ask unsafe', 'ask unsafe')
      .decide(3, 'approve')
      .fire('confirm');
    expect([...run.closed]).toEqual([
      [2, ['EXPIRED']],
      [4, ['EXPIRED']],
    ]);
    expect([run.path, run.calls('started')]).toEqual([executing, [3]]);
  });

  it('are withdrawn by a message, with everything that has not begun', () => {
    const run = PureRun.started().ask('ask unsafe', 'ask unsafe', 'readonly').decide(2, 'approve').message();
    expect([...run.closed.values()].flat()).toEqual(['SKIPPED', 'SKIPPED', 'SKIPPED']);
    expect([run.path, run.context.unseen, run.timers.has('confirm')]).toEqual([requesting, 0, false]);
  });
});

describe('a call whose fate is unknown', () => {
  const uncertain = () => PureRun.started().ask('unsafe', 'unsafe').doubt(2);

  it('waits for a person, with an expiry', () => {
    const run = PureRun.started({ reconcileMs: 9_000 }).ask('unsafe').doubt(2);
    expect([run.path, run.delayOf('reconcile')]).toEqual(['active.reconciling', 9_000]);
    expect(run.actions.find(({ type }) => type === 'confirm.request')?.params).toEqual({
      kind: 'reconcile',
      calls: [2],
    });
  });

  it('that ran gets its result, and the others go on', () => {
    const run = uncertain().reconcile(2, 'ran');
    expect([run.closed.get(2), run.calls('started')]).toEqual([['RECONCILED'], [3]]);
  });

  it('that is to be tried again starts again under the same effect', () => {
    const run = uncertain().reconcile(2, 'retry');
    expect([run.effects('effect.runTool'), run.closed.size]).toEqual([[2], 0]);
  });

  it('that is skipped gets a result that says so', () => {
    const run = uncertain().reconcile(2, 'skip');
    expect([run.closed.get(2), run.calls('started')]).toEqual([['SKIPPED'], [3]]);
  });

  it('that no person settles in time stays unknown, and the run continues', () => {
    const run = uncertain().fire('reconcile');
    expect([run.closed.get(2), run.calls('started')]).toEqual([['OUTCOME_UNKNOWN'], [3]]);
  });

  it('is asked about after its neighbours are settled', () => {
    const run = PureRun.started().ask('readonly', 'readonly').doubt(2);
    expect([run.path, run.calls('uncertain', 'started')]).toEqual([executing, [2, 3]]);
    expect(run.done(3).path).toBe('active.reconciling');
  });

  it('can be uncertain twice', () => {
    const run = uncertain().reconcile(2, 'retry').doubt(2);
    expect([run.path, run.reconcile(2, 'ran').closed.get(2)]).toEqual(['active.reconciling', ['RECONCILED']]);
  });

  it('keeps messages for the next model call', () => {
    const run = uncertain().message();
    expect([run.path, run.context.unseen]).toEqual(['active.reconciling', 1]);
    run.reconcile(2, 'ran');
    expect([run.path, run.closed.get(3)]).toEqual([requesting, ['SKIPPED']]);
  });

  it('is not settled by a decision, nor by words on another call', () => {
    const run = uncertain();
    expect(run.send({ type: 'confirm.decide', callId: 2, verdict: 'approve' })).toBe(false);
    expect(run.send({ type: 'tool.reconcile', callId: 3, verdict: 'ran' })).toBe(false);
  });

  it.each(['RAN', 'skipped', '', null, undefined])(
    'is not settled by a word that is not known: %j',
    (word) => {
      const run = uncertain();
      expect(run.send({ type: 'tool.reconcile', callId: 2, verdict: word as 'ran' })).toBe(false);
      expect([run.path, run.calls('uncertain')]).toEqual(['active.reconciling', [2]]);
    },
  );

  it('closes as unknown when the run is cancelled', () => {
    expect(uncertain().cancel().closed.get(2)).toEqual(['OUTCOME_UNKNOWN']);
  });
});
