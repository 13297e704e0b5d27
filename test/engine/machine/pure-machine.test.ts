import { describe, expect, it } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { runMachine } from '../../../machines/run.machine.ts';
import { PureMachine } from '../../../src/engine/machine/pure-machine.ts';
import { reachable } from '../../machines/reachable.ts';
import { graphLimits } from '../../model-based/run-graph.ts';
import { sized } from '../../support/size.ts';

const graph = reachable();
const ours = new PureMachine(runMachine);
/** A part of the graph, or all of it. */
const some = <T>(list: readonly T[]) => list.filter((_, i) => i % sized(10, 1) === 0);

const plain = (actions: readonly unknown[]) =>
  (actions as { type: string; params: unknown }[]).map(({ type, params }) => ({ type, params }));

describe('a pure machine', () => {
  it('begins as xstate’s own does', () => {
    const input = { limits: graphLimits };
    const [theirs, asked] = initialTransition(runMachine, input);
    const [snapshot, actions] = ours.initialTransition(input);
    expect([snapshot.value, snapshot.context, plain(actions)]).toEqual([
      theirs.value,
      theirs.context,
      plain(asked),
    ]);
  });

  it('moves as xstate’s own does, over the whole graph of the run machine', () => {
    for (const { before, event } of some(graph.moves)) {
      const [theirs, asked] = transition(runMachine, before, event);
      const [next, actions] = ours.transition(before, event);
      const ourSide = JSON.stringify([next.value, next.context, next.status, next.output, plain(actions)]);
      const theirSide = JSON.stringify([
        theirs.value,
        theirs.context,
        theirs.status,
        theirs.output,
        plain(asked),
      ]);
      if (ourSide !== theirSide) expect(ourSide).toBe(theirSide);
    }
  });

  it('ignores as xstate’s own does: the same snapshot, and nothing asked for', () => {
    for (const before of some(graph.states)) {
      const [next, actions] = ours.transition(before, { type: 'unheard.of', at: 1 } as never);
      expect(next === before && actions.length === 0).toBe(true);
    }
  });
});
