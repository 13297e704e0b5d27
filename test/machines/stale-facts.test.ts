import { describe, expect, it } from 'vitest';
import { idsAtWork, idsIn } from '../../machines/calls.rules.ts';
import { runMachine } from '../../machines/run.machine.ts';
import type { RunContext, RunEvent } from '../../machines/run.types.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import { sized } from '../support/size.ts';
import { failure, noCost } from './pure-run.ts';
import { reachable, type Snapshot } from './reachable.ts';

type Fact = Extract<RunEvent, { effectId: number }>;

function facts(effectId: number): Fact[] {
  const base = { at: 5, effectId };
  const call = { callId: 900, gate: 'run', class: 'readonly' } as const;
  return [
    { ...base, type: 'model.done', finish: 'toolCalls', text: true, calls: [call], cost: noCost },
    {
      ...base,
      type: 'model.failed',
      error: failure,
      outcome: 'provider_error',
      partial: false,
      delayMs: 1,
      cost: noCost,
    },
    { ...base, type: 'model.switched', from: 'a/a', to: 'b/b', error: failure, cost: noCost },
    { ...base, type: 'context.tooBig', tokens: 1 },
    { ...base, type: 'context.pruned', results: 1, tokens: 2, saved: 1 },
    { ...base, type: 'tool.done', key: 'k' },
    { ...base, type: 'tool.failed', code: 'X', key: 'k' },
    { ...base, type: 'tool.uncertain' },
    { ...base, type: 'flush.done' },
    { ...base, type: 'flush.failed', error: failure },
    { ...base, type: 'compact.done', cost: noCost },
    { ...base, type: 'compact.failed', error: failure, cost: noCost },
    { ...base, type: 'effect.poisoned' },
  ];
}

const machine = new PureMachine(runMachine);

function isIgnored(snapshot: Snapshot, event: RunEvent): boolean {
  const [next, actions] = machine.transition(snapshot, event);
  return next === snapshot && actions.length === 0;
}

/** Effects that some fact may still settle. */
function open(context: RunContext): number[] {
  return [...(context.awaiting === null ? [] : [context.awaiting]), ...idsAtWork(context)];
}

const states = reachable().states.filter(({ status }, i) => status === 'active' && i % sized(4, 1) === 0);

describe('a fact of an effect that is not awaited', () => {
  it('is ignored in every state: the same snapshot, and nothing asked for', () => {
    let tried = 0;
    for (const state of states) {
      const awaited = open(state.context);
      const minted = Array.from({ length: state.context.effectCount }, (_, i) => i + 1);
      const strangers = [0, 999, ...minted.slice(-sized(2, 1_000))];
      for (const effectId of strangers.filter((id) => !awaited.includes(id)))
        for (const fact of facts(effectId)) {
          tried++;
          if (!isIgnored(state, fact))
            expect.fail(`${JSON.stringify(state.value)} took ${fact.type} of effect ${effectId}`);
        }
    }
    console.log(`stale facts: ${tried} tried in ${states.length} states, 0 taken`);
  });

  it('is ignored when it comes a second time', () => {
    for (const state of states)
      for (const effectId of open(state.context))
        for (const fact of facts(effectId)) {
          const [after] = machine.transition(state, fact);
          if (after === state || after.status !== 'active') continue;
          if (!isIgnored(after as Snapshot, fact))
            expect.fail(`${JSON.stringify(state.value)} took ${fact.type} twice`);
        }
  });

  it('is ignored when it is of another kind than the awaited one', () => {
    const kinds: Record<string, readonly string[]> = {
      requesting: [
        'model.done',
        'model.failed',
        'model.switched',
        'context.tooBig',
        'context.pruned',
        'effect.poisoned',
      ],
      flushing: ['flush.done', 'flush.failed', 'effect.poisoned'],
      summarizing: ['compact.done', 'compact.failed', 'effect.poisoned'],
      executing: ['tool.done', 'tool.failed', 'tool.uncertain', 'effect.poisoned'],
      awaitingConfirm: ['tool.done', 'tool.failed', 'tool.uncertain', 'effect.poisoned'],
    };
    for (const state of states)
      for (const effectId of open(state.context)) {
        const leaf =
          Object.keys(kinds).find((name) => JSON.stringify(state.value).includes(`"${name}"`)) ?? '';
        for (const fact of facts(effectId))
          if (isIgnored(state, fact) === kinds[leaf]?.includes(fact.type))
            expect.fail(`${leaf} and ${fact.type}`);
      }
  });
});

describe('what the run machine awaits', () => {
  it('is one effect in a state that waits for one, calls where they are at work, and none in all others', () => {
    for (const { value, context } of states) {
      const leaf = JSON.stringify(value);
      const isOne = context.awaiting !== null;
      const isCalls = idsAtWork(context).length > 0;
      const isAsking = leaf.includes('awaitingConfirm') && idsIn(context, 'asking').length > 0;
      const isWork = leaf.includes('executing') || isAsking;
      if (isOne !== /requesting|flushing|summarizing/.test(leaf) || isCalls !== isWork)
        expect.fail(`${leaf} awaits ${JSON.stringify(open(context))}`);
    }
  });
});
