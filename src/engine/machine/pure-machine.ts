import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type EventObject,
  type InspectionEvent,
  type StateValue,
} from 'xstate';
import { NestedStates } from './nested-states.ts';

/** A snapshot, and the actions of the transition to it, not performed. */
export type Transitioned = [snapshot: AnyMachineSnapshot, actions: readonly unknown[]];

/** Gets what a machine does for one event. */
export interface MachineWatch {
  /** The machine begins to handle an event, or begins again: what was seen of that event before does not count. */
  began(): void;
  /** It takes a transition; those without an event follow the one that set them off. */
  took(transition: AnyTransitionDefinition): void;
}

/** A machine as the engine drives it: pure, from one snapshot to the next. Of a snapshot, the engine reads only `status`, `value`, `context`, `output`, `can` and `hasTag`. */
export interface DrivenMachine {
  /** The chart as its author wrote it: drawn, and shown to inspectors. */
  readonly definition: AnyStateMachine;
  transition(snapshot: AnyMachineSnapshot, event: EventObject): Transitioned;
  initialTransition(input: unknown): Transitioned;
  /** The snapshot of a stored state. It may silently repair an incomplete value: compare it with the stored one. */
  resolveState(stored: { value: StateValue; context: unknown }): AnyMachineSnapshot;
  /** The same machine with another definition, say with wrapped guards, that tells what it does. */
  watched(definition: AnyStateMachine, watch: MachineWatch): DrivenMachine;
}

/**
 * What xstate's pure `transition()` and `initialTransition()` do, without the actor that they make for every single
 * event. That actor computes the machine's first snapshot, or throws because it has no input, and costs more than the
 * transition itself.
 *
 * @example
 * const [snapshot, actions] = new PureMachine(runMachine).initialTransition(input);
 */
export class PureMachine implements DrivenMachine {
  readonly definition: AnyStateMachine;
  readonly #nested: NestedStates | null;
  /**
   * The scope of an actor that is never started, so nothing is sent or spawned through it. Made for the first event.
   */
  #scope: AnyActorScope | null = null;
  /** Only kept alive, never read: see {@link shaped}. */
  #shape: object | null = null;
  readonly #watch: MachineWatch | undefined;

  constructor(definition: AnyStateMachine, watch?: MachineWatch) {
    this.definition = definition;
    this.#watch = watch;
    this.#nested = NestedStates.of(definition);
  }

  transition(snapshot: AnyMachineSnapshot, event: EventObject): Transitioned {
    this.#shape ??= shaped(snapshot.context);
    const watch = this.#watch;
    watch?.began();
    const moved = this.#nested?.transition(snapshot, event, watch && ((taken) => watch.took(taken)));
    if (moved) return moved;
    const actions: unknown[] = [];
    return [this.definition.transition(snapshot, event, this.#collecting(actions)), actions];
  }

  initialTransition(input: unknown): Transitioned {
    const actions: unknown[] = [];
    return [this.definition.getInitialSnapshot(this.#collecting(actions), input), actions];
  }

  resolveState(stored: { value: StateValue; context: unknown }): AnyMachineSnapshot {
    return this.definition.resolveState(stored);
  }

  watched(definition: AnyStateMachine, watch: MachineWatch): PureMachine {
    return new PureMachine(definition, watch);
  }

  #collecting(actions: unknown[]): AnyActorScope {
    this.#scope ??= idleScope(this.definition, this.#watch);
    this.#watch?.began();
    return { ...this.#scope, actionExecutor: (action) => actions.push(action) };
  }
}

function idleScope(definition: AnyStateMachine, watch: MachineWatch | undefined): AnyActorScope {
  const self = createActor(definition, watch && { inspect: (seen) => tell(watch, seen) });
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

function tell(watch: MachineWatch, seen: InspectionEvent): void {
  if (seen.type !== '@xstate.microstep') return;
  for (const taken of seen._transitions) watch.took(taken);
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
