import type { initialTransition } from 'xstate';
import { runMachine } from '../../machines/run.machine.ts';
import type { RunEvent, RunInput } from '../../machines/run.types.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import { graphLimits, outputEvents, runEvents, runKey } from '../model-based/run-graph.ts';
import type { Action } from './pure-run.ts';

export type Snapshot = ReturnType<typeof initialTransition<typeof runMachine>>[0];

interface Move {
  before: Snapshot;
  event: RunEvent;
  after: Snapshot;
  actions: Action[];
}

interface Graph {
  /** One snapshot for every state that is told apart, the first ones before all others. */
  states: Snapshot[];
  /** Every transition between them that the machine took. */
  moves: Move[];
}

const inputs: RunInput[] = [{ limits: graphLimits }, { limits: graphLimits, only: 'compact' }];

/** The run machine's graph, walked breadth first. */
export function reachable(): Graph {
  const pure = new PureMachine(runMachine);
  const firsts = inputs.map((input) => pure.initialTransition(input)[0] as Snapshot);
  const states = new Map(firsts.map((first) => [runKey(first), first]));
  const moves: Move[] = [];
  for (const before of states.values()) {
    if (before.status !== 'active') continue;
    for (const event of eventsIn(before)) {
      const [next, actions] = pure.transition(before, event);
      if (next === before && actions.length === 0) continue;
      const after = next as Snapshot;
      moves.push({ before, event, after, actions: actions as Action[] });
      const key = runKey(after);
      if (!states.has(key)) states.set(key, after);
    }
  }
  return { states: [...states.values()], moves };
}

/** What a run may meet in a state, with an output schema and without one. */
function eventsIn(snapshot: Snapshot): Iterable<RunEvent> {
  const events = [...runEvents(snapshot), ...outputEvents(snapshot)];
  return new Map(events.map((event) => [JSON.stringify(event), event])).values();
}
