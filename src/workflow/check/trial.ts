import type { AnyMachineSnapshot, AnyStateMachine, EventObject, StateValue } from 'xstate';
import { callForeign } from '../../engine/foreign-code.ts';
import { PureMachine } from '../../engine/machine.ts';
import { withoutActors } from '../facade/chart-services.ts';
import { digest } from './not-json.ts';
import type { Sample } from './sample.ts';
import { inBothWorlds } from './worlds.ts';

/** An action of a move, resolved and not performed. */
export interface Action {
  type: string;
  params?: unknown;
  exec?: unknown;
}

/** What a chart did for an event. */
export interface Move {
  /** Null when it threw. */
  next: AnyMachineSnapshot | null;
  actions: readonly Action[];
  error: unknown;
  isPure: boolean;
  /** It changed the context that it was given. */
  hasMutated: boolean;
}

/** Errors of a chart that is only tried are not failures of a run, so they are not reported. */
const unheard = { runId: '', report: () => {} };

/** Makes the moves of a chart several times, in different worlds, without starting its services and children. */
export class Trial {
  readonly #machine: PureMachine;
  readonly #sample: Sample;

  /** @param sample the one that stands for what is not known; its touches count from the last move */
  constructor(chart: AnyStateMachine, sample: Sample) {
    this.#sample = sample;
    this.#machine = new PureMachine(withoutActors(chart));
  }

  begin(input: unknown): Move {
    return this.#tried(undefined, () => this.#machine.initialTransition(input));
  }

  move(from: AnyMachineSnapshot, event: EventObject): Move {
    return this.#tried(from.context, () => this.#machine.transition(from, event));
  }

  /** A snapshot of a state that no move has reached. Null if it cannot be made. */
  jump(value: StateValue, context: unknown): AnyMachineSnapshot | null {
    try {
      return this.#machine.resolveState({ value, context });
    } catch {
      return null;
    }
  }

  #tried(context: unknown, run: () => ReturnType<PureMachine['transition']>): Move {
    const made = (): Pick<Move, 'next' | 'actions' | 'error'> => {
      this.#sample.reset();
      try {
        const [next, actions] = callForeign('the chart', run, unheard);
        const move = { next, actions: actions as Action[], error: next.error };
        return next.status === 'error' ? { ...move, next: null } : move;
      } catch (error) {
        return { next: null, actions: [], error };
      }
    };
    const before = digest(context);
    const { value: move, isPure } = inBothWorlds(made, (first) => {
      const outcome = outcomeOf(first);
      return (second) => outcomeOf(second) === outcome;
    });
    const hasMutated = digest(context) !== before;
    return { ...move, isPure: hasMutated || isPure, hasMutated };
  }
}

/** The part of a move that a replay must reproduce. Log output does not matter. */
function outcomeOf({ next, actions }: Pick<Move, 'next' | 'actions'>): string {
  if (next === null) return 'threw';
  const done = actions.filter(({ type }) => type !== 'xstate.log' && type !== 'xstate.stopChild');
  return digest([
    next.status,
    next.value,
    next.context,
    next.output,
    done.map(({ type, params }) => [type, paramsOf(params)]),
  ]);
}

function paramsOf(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || !('actorRef' in params)) return params;
  const { actorRef, ...others } = params;
  return others;
}
