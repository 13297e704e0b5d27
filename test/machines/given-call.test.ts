import { describe, expect, it } from 'vitest';
import type { AnswerCall } from '../../machines/run.types.ts';
import { failure, PureRun } from './pure-run.ts';

const completed = ['completed', undefined];

/** A run whose one given call is written like `unsafe`, `ask unsafe`, `refuse`. */
function giving(call: string | Partial<AnswerCall>, limits = {}): PureRun {
  return PureRun.giving(limits).ask(call);
}

describe('a run that makes one given call', () => {
  it('asks its host for the answer that has the call, as any run does', () => {
    const run = PureRun.giving();
    expect([run.path, run.effects('effect.callModel')]).toEqual(['active.working.thinking.requesting', [1]]);
    run.ask('idempotent');
    expect([run.path, run.effects('effect.runTool')]).toEqual(['active.working.tooling.executing', [2]]);
  });

  it.each(['readonly', 'idempotent', 'probe', 'unsafe'])('completes when the %s call is done', (kind) => {
    expect(giving(kind).done(2).ending).toEqual(completed);
  });

  it('completes when the call fails, and asks for no other answer', () => {
    const run = giving('unsafe').fail(2);
    expect(run.ending).toEqual(completed);
    expect(run.history.filter(({ type }) => type === 'effect.callModel')).toHaveLength(1);
  });

  it('completes when policy refuses the call, however few errors it may make', () => {
    expect(giving('refuse').ending).toEqual(completed);
    expect(giving('refuse', { errors: 1, repeats: 1, steps: 1 }).ending).toEqual(completed);
  });

  it('waits for a person, and completes with their decision', () => {
    const run = giving('ask unsafe');
    expect(run.path).toBe('active.awaitingConfirm');
    expect(run.decide(2, 'reject').ending).toEqual(completed);
    expect(run.closed.get(2)).toEqual(['REJECTED_BY_USER']);
    expect(giving('ask unsafe').decide(2, 'approve').done(2).ending).toEqual(completed);
  });

  it('completes when no decision comes in time', () => {
    const run = giving('ask unsafe').fire('confirm');
    expect(run.ending).toEqual(completed);
    expect(run.closed.get(2)).toEqual(['EXPIRED']);
  });

  it.each([
    ['ran', ['RECONCILED']],
    ['skip', ['SKIPPED']],
  ] as const)('completes when a person says of the unknown outcome: %s', (verdict, closed) => {
    const run = giving('unsafe').doubt(2);
    expect(run.path).toBe('active.reconciling');
    expect(run.reconcile(2, verdict).ending).toEqual(completed);
    expect(run.closed.get(2)).toEqual(closed);
  });

  it('makes the call again when a person says so', () => {
    const run = giving('unsafe').doubt(2).reconcile(2, 'retry');
    expect(run.effects('effect.runTool')).toEqual([2]);
    expect(run.done(2).ending).toEqual(completed);
  });

  it('completes when nobody says what became of the call', () => {
    const run = giving('unsafe').doubt(2).fire('reconcile');
    expect([run.ending, run.closed.get(2)]).toEqual([completed, ['OUTCOME_UNKNOWN']]);
  });

  it('waits while the call asks a person, or its sub-run does', () => {
    const asking = giving('readonly');
    asking.send({ type: 'tool.asked', callId: 2 });
    expect(asking.path).toBe('active.awaitingConfirm');
    expect(asking.decide(2, 'modify').done(2).ending).toEqual(completed);
    const parked = giving('idempotent');
    parked.send({ type: 'subrun.parked', callId: 2 });
    expect(parked.path).toBe('active.working.tooling.executing');
    expect(parked.done(2).ending).toEqual(completed);
  });

  it('takes no message: no model would read it', () => {
    const places = [
      new PureRun({}, 'call'),
      PureRun.giving(),
      giving('unsafe'),
      giving('ask unsafe'),
      giving('unsafe').doubt(2),
    ];
    for (const run of places) {
      const before = run.snapshot;
      expect(run.send({ type: 'run.message' }), run.path).toBe(false);
      expect(run.snapshot).toBe(before);
    }
  });

  it('ends as any other run when it is cancelled, or out of time, or its host fails', () => {
    expect(giving('unsafe').cancel().ending).toEqual(['cancelled', undefined]);
    expect(giving('unsafe').fire('deadline').ending).toEqual(['deadline', 'DEADLINE']);
    expect(new PureRun({}, 'call').fire('queue').ending).toEqual(['deadline', 'QUEUE_EXPIRED']);
    expect(PureRun.giving().failModel().ending).toEqual(['provider_error', failure.code]);
  });
});
