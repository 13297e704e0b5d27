import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { PureMachine } from '../engine/machine.ts';
import { shortestPaths } from './shortest-paths.ts';

export interface TransitionPath<E extends EventObject> {
  /** From the initial state; the last one is the transition that the path is for. */
  events: E[];
  /** Key of the state before the last event, and of the one after it. */
  from: string;
  to: string;
}

export interface PathOptions<E extends EventObject> {
  input?: unknown;
  /** The events to try in a state, with the ids that they need: one variant for each branch of a guard. */
  events(snapshot: AnyMachineSnapshot): E[];
  /**
   * What makes two snapshots the same. The state alone misses what only a second round shows; the whole context has no
   * end. State plus small, capped counters is usual.
   */
  key(snapshot: AnyMachineSnapshot): string;
  /** Names an event in an edge; default its JSON without `at`. */
  eventKey?(event: E): string;
}

/**
 * For each transition of a machine's graph a path that takes it last: the shortest way to its source, then the event.
 * So every transition is covered by construction, which paths to states alone do not give.
 *
 * Drive your own system with each path and compare after every event.
 */
export function transitionPaths<E extends EventObject>(
  machine: AnyStateMachine,
  options: PathOptions<E>,
): TransitionPath<E>[] {
  const { events, key, eventKey = defaultEventKey } = options;
  const pure = new PureMachine(machine);
  const [start] = pure.initialTransition(options.input);
  const { paths } = shortestPaths<AnyMachineSnapshot, E>(start, {
    key,
    moves: (snapshot) => (snapshot.status === 'active' ? events(snapshot) : []),
    moveKey: eventKey,
    take(snapshot, event) {
      const [next, actions] = pure.transition(snapshot, event);
      return next === snapshot && actions.length === 0 ? null : next;
    },
  });
  return paths.map(({ moves, from, to }) => ({ events: moves, from, to }));
}

function defaultEventKey(event: EventObject): string {
  const { at: _, ...rest } = event as EventObject & { at?: unknown };
  return JSON.stringify(rest);
}
