import { initialTransition, transition } from 'xstate';
import { runMachine } from '../../machines/run.machine.ts';
import type { RunEvent, RunInput } from '../../machines/run.types.ts';
import { graphLimits, outputEvents, runEvents, runKey } from '../model-based/run-graph.ts';
import type { Action } from './pure-run.ts';

export type Snapshot = ReturnType<typeof initialTransition<typeof runMachine>>[0];

export interface Move {
  before: Snapshot;
  event: RunEvent;
  after: Snapshot;
  actions: Action[];
}

export interface Graph {
  /** One snapshot for every state that is told apart, the first ones before all others. */
  states: Snapshot[];
  /** Every transition between them that the machine took. */
  moves: Move[];
}

const inputs: RunInput[] = [{ limits: graphLimits }, { limits: graphLimits, only: 'compact' }];

/** The run machine's graph, walked breadth first. */
export function reachable(): Graph {
  const firsts = inputs.map((input): Snapshot => initialTransition(runMachine, input)[0]);
  const states = new Map(firsts.map((first) => [runKey(first), first]));
  const moves: Move[] = [];
  for (const before of states.values()) {
    if (before.status !== 'active') continue;
    for (const event of [...runEvents(before), ...outputEvents(before)]) {
      const [after, actions]: [Snapshot, unknown[]] = transition(runMachine, before, event);
      if (after === before && actions.length === 0) continue;
      moves.push({ before, event, after, actions: actions as Action[] });
      if (!states.has(runKey(after))) states.set(runKey(after), after);
    }
  }
  return { states: [...states.values()], moves };
}
