import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  type EventObject,
  initialTransition,
  transition,
} from 'xstate';
import { PureMachine } from '../../engine/machine.ts';
import { failureOf } from '../../workflow/facade.ts';
import type { Happening } from './happening.ts';

/** A chart under XState alone, and what would be under way around it. */
export interface Plain {
  snapshot: AnyMachineSnapshot;
  /** Timers that are set, in the order in which they were. */
  timers: readonly PlainTimer[];
  /** The services that run, by the ids of their invocations: their names in `setup({ actors })`. */
  open: ReadonlyMap<string, string>;
  /** Actors of `children` that have ended: XState itself keeps them. */
  ended: ReadonlySet<unknown>;
  at: number;
  /** All transitions that have been taken on the way. */
  took: ReadonlySet<AnyTransitionDefinition>;
}

interface PlainTimer {
  /** As the chart names it; null for a delayed `raise` without an id. */
  id: string | null;
  event: EventObject;
  dueAt: number;
}

type Moved = [snapshot: AnyMachineSnapshot, actions: readonly { type: string; params?: unknown }[]];

/** XState's own steps. */
interface Steps {
  begin(input: unknown): Moved;
  move(snapshot: AnyMachineSnapshot, event: EventObject): Moved;
  /** The transitions of the last step. */
  took(): readonly AnyTransitionDefinition[];
}

function stepsOfXState(chart: AnyStateMachine): Steps {
  return {
    begin: (input) => initialTransition(chart, input) as Moved,
    move: (snapshot, event) => transition(chart, snapshot, event) as Moved,
    took: () => [],
  };
}

function watchedSteps(chart: AnyStateMachine): Steps {
  let taken: AnyTransitionDefinition[] = [];
  const watch = {
    began() {
      taken = [];
    },
    took(one: AnyTransitionDefinition) {
      taken.push(one);
    },
  };
  const pure = new PureMachine(chart, watch);
  return {
    begin: (input) => pure.initialTransition(input) as Moved,
    move: (snapshot, event) => pure.transition(snapshot, event) as Moved,
    took: () => taken,
  };
}

/** Moves a chart under XState alone. Nothing is performed: the caller says what happens. */
export class PlainChart {
  readonly #steps: Steps;

  private constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** By the pure functions of XState themselves. */
  static ofXState(chart: AnyStateMachine): PlainChart {
    return new PlainChart(stepsOfXState(chart));
  }

  /** Knows which transitions are taken. */
  static watched(chart: AnyStateMachine): PlainChart {
    return new PlainChart(watchedSteps(chart));
  }

  begin(input: unknown, at: number): Plain {
    const [snapshot, actions] = this.#steps.begin(input);
    const took = new Set(this.#steps.took());
    return this.#plain(snapshot, timersAfter([], actions, at), new Set(), at, took);
  }

  /** Null for an event that the chart does not take. The caller knows that the happening is possible. */
  take(before: Plain, happening: Happening, at: number): Plain | null {
    const actor = 'id' in happening ? before.snapshot.children[happening.id] : undefined;
    const timer = happening.kind === 'timer' ? timerOf(before, happening.type) : undefined;
    const [snapshot, actions] = this.#steps.move(before.snapshot, {
      ...eventOf(happening, timer),
      at,
    } as EventObject);
    const taken = this.#steps.took();
    const isTaken = snapshot !== before.snapshot || actions.length > 0 || taken.length > 0;
    if (happening.kind === 'event' && !isTaken) return null;
    const left = before.timers.filter((one) => one !== timer);
    const ended = actor ? new Set([...before.ended, actor]) : before.ended;
    const took = new Set([...before.took, ...taken]);
    return this.#plain(snapshot, timersAfter(left, actions, at), ended, at, took);
  }

  #plain(
    snapshot: AnyMachineSnapshot,
    timers: readonly PlainTimer[],
    ended: ReadonlySet<unknown>,
    at: number,
    took: ReadonlySet<AnyTransitionDefinition>,
  ): Plain {
    const isActive = snapshot.status === 'active';
    const children = Object.entries(isActive ? snapshot.children : {}).filter(
      ([, actor]) => !ended.has(actor),
    );
    const open = new Map(children.map(([id, actor]) => [id, String((actor as { src?: unknown }).src)]));
    // XState does not cancel the timers of a machine that an error has ended.
    return { snapshot, timers: isActive ? timers : [], open, ended, at, took };
  }
}

/** The timer that fires an event: the soonest one. */
export function timerOf({ timers }: Plain, type: string): PlainTimer | undefined {
  return timers.filter(({ event }) => event.type === type).sort((a, b) => a.dueAt - b.dueAt)[0];
}

function eventOf(happening: Happening, timer: PlainTimer | undefined): EventObject {
  switch (happening.kind) {
    case 'event':
      return happening.event;
    case 'timer':
      return timer?.event ?? { type: happening.type };
    case 'done': {
      const { id, output } = happening;
      return { type: `xstate.done.actor.${id}`, output, actorId: id } as EventObject;
    }
    case 'failed': {
      const { id, error } = happening;
      return { type: `xstate.error.actor.${id}`, error: failureOf(error), actorId: id } as EventObject;
    }
  }
}

function timersAfter(before: readonly PlainTimer[], actions: Moved[1], at: number): readonly PlainTimer[] {
  let timers = before;
  for (const { type, params } of actions) {
    const { id, event, delay, sendId } = (params ?? {}) as Record<string, unknown>;
    if (type === 'xstate.cancel') timers = timers.filter((one) => one.id !== sendId);
    if (type !== 'xstate.raise' || typeof delay !== 'number') continue;
    const named = typeof id === 'string' ? id : null;
    const timer = { id: named, event: event as EventObject, dueAt: at + Math.max(0, delay) };
    timers = [...timers.filter((one) => named === null || one.id !== named), timer];
  }
  return timers;
}
