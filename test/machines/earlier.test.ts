import { describe, expect, it } from 'vitest';
import { idsIn } from '../../machines/calls.rules.ts';
import { earlierRunMachine, thirdRunMachine } from '../../machines/run.earlier.ts';
import { runMachine } from '../../machines/run.machine.ts';
import type { RunContext } from '../../machines/run.types.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import { defaultLimits } from '../../src/store/run-options.ts';

/** The context after these events, as a fold of a log computes it. */
function folded(definition: typeof runMachine, ...events: object[]): RunContext {
  const machine = new PureMachine(definition);
  let [snapshot] = machine.initialTransition({ limits: defaultLimits });
  for (const event of [{ type: 'run.start' }, ...events])
    [snapshot] = machine.transition(snapshot, { at: 1, ...event } as never);
  return snapshot.context as RunContext;
}

const cost = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
const asking = (gate: string) => ({
  type: 'model.done',
  effectId: 1,
  finish: 'toolCalls',
  text: false,
  calls: [{ callId: 2, gate, class: 'unsafe' }],
  cost,
});

describe('the machine that folds the logs of versions 1 and 2', () => {
  it('has a call run after an unknown verdict, as those versions had; the newest does not', () => {
    const events = [asking('ask'), { type: 'confirm.decide', callId: 2, verdict: 'deny' }];
    expect(idsIn(folded(earlierRunMachine, ...events), 'started')).toEqual([2]);
    expect(folded(runMachine, ...events).pending).toEqual([]);
  });

  it('settles an uncertain call by an unknown word, as those versions did; the newest does not', () => {
    const events = [
      asking('run'),
      { type: 'tool.uncertain', effectId: 2 },
      { type: 'tool.reconcile', callId: 2, verdict: 'RAN' },
    ];
    expect(folded(earlierRunMachine, ...events).pending).toEqual([]);
    expect(idsIn(folded(runMachine, ...events), 'uncertain')).toEqual([2]);
  });

  it('ends with a call whose answer had begun, as those versions did; the newest makes it again', () => {
    const error = { code: 'MODEL_NETWORK', message: 'cut off', retryable: true };
    const failed = { type: 'model.failed', effectId: 1, error, outcome: 'provider_error', cost };
    const begun = { ...failed, partial: true, delayMs: 5 };
    expect(folded(earlierRunMachine, begun).end).toEqual({ outcome: 'provider_error', error });
    expect(folded(runMachine, begun)).toMatchObject({ end: null, waitedMs: 5 });
    const fresh = { ...begun, partial: false };
    expect(folded(earlierRunMachine, fresh)).toEqual(folded(runMachine, fresh));
  });

  it.each(['approve', 'modify', 'reject'])('is the newest one for the verdict %s', (verdict) => {
    const events = [asking('ask'), { type: 'confirm.decide', callId: 2, verdict }];
    expect(folded(earlierRunMachine, ...events)).toEqual(folded(runMachine, ...events));
  });
});

describe('the machine that folds the logs of version 3', () => {
  /** A run that made one given call. */
  function given(definition: typeof runMachine, ...events: object[]) {
    const machine = new PureMachine(definition);
    let [snapshot] = machine.initialTransition({ limits: defaultLimits, only: 'call' });
    for (const event of [{ type: 'run.start' }, ...events])
      [snapshot] = machine.transition(snapshot, { at: 1, ...event } as never);
    return { path: snapshot.value, ...(snapshot.context as RunContext) };
  }
  const end = { outcome: 'completed', error: null };
  const done = { type: 'tool.done', effectId: 2, key: 'k' };
  const failed = { type: 'tool.failed', effectId: 2, code: 'X', key: 'k' };

  it.each([thirdRunMachine, earlierRunMachine])(
    'ends with the call, whatever came of it, as version 3 did',
    (machine) => {
      expect(given(machine, asking('run'), done)).toMatchObject({ path: 'done', answer: 'given', end });
      expect(given(machine, asking('run'), failed)).toMatchObject({ path: 'done', answer: 'given', end });
      expect(given(machine, asking('refuse'))).toMatchObject({ path: 'done', answer: 'given', end });
    },
  );

  it('is the newest one for all other runs', () => {
    const events = [
      asking('run'),
      done,
      { ...asking('run'), effectId: 3, calls: [], finish: 'stop', text: true },
    ];
    expect(folded(thirdRunMachine, ...events)).toEqual(folded(runMachine, ...events));
  });

  it('leaves runs that the newest one continues: those end with their call, too', () => {
    expect(
      given(runMachine, asking('ask'), { type: 'confirm.decide', callId: 2, verdict: 'approve' }, done),
    ).toMatchObject({
      path: 'done',
      end,
    });
  });
});
