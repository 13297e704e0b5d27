import { describe, expect, it } from 'vitest';
import { earlierRunMachine } from '../../machines/run.earlier.ts';
import { runMachine } from '../../machines/run.machine.ts';
import { idsIn } from '../../machines/run.rules.ts';
import type { RunContext } from '../../machines/run.types.ts';
import { PureMachine } from '../../src/engine/pure-machine.ts';
import { defaultLimits } from '../../src/records/run-options.ts';

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
