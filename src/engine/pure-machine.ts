import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type StateValue,
} from 'xstate';
import { NestedStates } from './nested-states.ts';

/** A snapshot, and the actions of the transition to it, not performed. */
export type Transitioned = [snapshot: AnyMachineSnapshot, actions: readonly unknown[]];

/**
 * What xstate's pure `transition()` and `initialTransition()` do, without the actor that they make for every single
 * event. That actor computes the machine's first snapshot, or throws because it has no input, and costs more than the
 * transition itself.
 *
 * @example
 * const [snapshot, actions] = new PureMachine(runMachine).initialTransition(input);
 */
export class PureMachine {
  readonly definition: AnyStateMachine;
  readonly #nested: NestedStates | null;
  /**
   * The scope of an actor that is never started, so nothing is sent or spawned through it. Made for the first event.
   */
  #scope: AnyActorScope | null = null;
  /** Only kept alive, never read: see {@link shaped}. */
  #shape: object | null = null;

  constructor(definition: AnyStateMachine) {
    this.definition = definition;
    this.#nested = NestedStates.of(definition);
  }

  transition(snapshot: AnyMachineSnapshot, event: EventObject): Transitioned {
    this.#shape ??= shaped(snapshot.context);
    const moved = this.#nested?.transition(snapshot, event);
    if (moved) return moved;
    const actions: unknown[] = [];
    return [this.definition.transition(snapshot, event, this.#collecting(actions)), actions];
  }

  initialTransition(input: unknown): Transitioned {
    const actions: unknown[] = [];
    return [this.definition.getInitialSnapshot(this.#collecting(actions), input), actions];
  }

  /** The snapshot of a stored state. xstate silently repairs an incomplete value: compare it with the stored one. */
  resolveState(stored: { value: StateValue; context: unknown }): AnyMachineSnapshot {
    return this.definition.resolveState(stored);
  }

  #collecting(actions: unknown[]): AnyActorScope {
    this.#scope ??= idleScope(this.definition);
    return { ...this.#scope, actionExecutor: (action) => actions.push(action) };
  }
}

function idleScope(definition: AnyStateMachine): AnyActorScope {
  const self = createActor(definition);
  const nothing = () => {};
  return {
    self,
    system: self.system,
    id: '',
    sessionId: '',
    logger: nothing,
    defer: nothing,
    emit: nothing,
    stopChild: nothing,
    actionExecutor: nothing,
  };
}

/**
 * A copy of a context. As long as it lives, V8 does not turn contexts into dictionary-mode objects.
 *
 * xstate assigns by `Object.assign({}, context, change)`. V8 switches an object to dictionary mode when it gets its
 * twentieth key that way, unless a live object has the same shape. Then each assignment takes 6 µs instead of 0.1.
 */
function shaped(context: object): object {
  return Object.fromEntries(Object.entries(context));
}
