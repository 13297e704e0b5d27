import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  EventObject,
  StateValue,
} from 'xstate';
import type { Own } from '../../../machines/own-action.ts';

/** An action of a transition, not performed. */
interface Asked {
  type: string;
  params: unknown;
}

/** What a transition does to the states: all below `domain` are left, those in `entered` are entered, outermost first. */
interface Change {
  domain: AnyStateNode;
  entered: readonly AnyStateNode[];
}

/**
 * Applies events as xstate does, to a machine whose states are only nested, so that one leaf is active at a time, and whose
 * actions and guards are our own, by name.
 *
 * xstate serves every kind of machine, so it makes a snapshot for each single assignment, and computes its state value
 * from sets of nodes, which took an eighth of the CPU time of a run's step. Without parallel states, the change of
 * states depends on the transition alone and the state value on the leaf alone, so both are computed once.
 *
 * A test holds the two equal over the whole graph of the run machine.
 */
export class NestedStates {
  readonly #machine: AnyStateMachine;
  readonly #changes = new Map<AnyTransitionDefinition, Change | 'beyond' | null>();
  /** One snapshot for each leaf; its context does not matter. */
  readonly #snapshots = new Map<AnyStateNode, AnyMachineSnapshot>();

  private constructor(machine: AnyStateMachine) {
    this.#machine = machine;
  }

  /** Null for a machine with states of another kind, and for one whose actions and guards may ask for the actor. */
  static of(machine: AnyStateMachine): NestedStates | null {
    const isUnbounded =
      (machine.options?.maxIterations ?? Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY;
    const { actions, guards } = machine.implementations;
    const all: unknown[] = Object.values(actions);
    const areOurs = all.some(ownOf) && all.every((action) => ownOf(action) ?? isPlain(action));
    return isUnbounded && areOurs && Object.values(guards).every(isPlain) && isNested(machine.root, machine)
      ? new NestedStates(machine)
      : null;
  }

  /**
   * The snapshot after an event, and the actions; the same snapshot when nothing changed. Null when only xstate can tell:
   * for events of its own, at a final state within another, where the root is entered anew, and in whose words the machine throws.
   *
   * @param took gets each transition that is taken, in their order.
   */
  transition(
    before: AnyMachineSnapshot,
    event: EventObject,
    took?: (transition: AnyTransitionDefinition) => void,
  ): [AnyMachineSnapshot, Asked[]] | null {
    if (event.type.startsWith('xstate.') || Object.keys(before.children).length > 0) return null;
    const step = new Macrostep(this.#machine, this.#leafOf(before.value), { context: before.context, event });
    try {
      for (let next = step.selected(event.type) ?? step.selected(null); next; next = step.selected(null)) {
        const change = this.#changeBy(next);
        if (change === 'beyond') return null;
        took?.(next);
        // The same transition would be selected for ever, so xstate stops, too.
        if (!step.take(next, change) && !next.eventType) break;
      }
    } catch {
      return null;
    }
    return [step.hasMoved ? this.#snapshotOf(step) : before, step.asked];
  }

  #leafOf(value: StateValue): AnyStateNode {
    let node: AnyStateNode = this.#machine.root;
    let inner: StateValue | undefined = value;
    while (typeof inner === 'object') {
      const [key] = Object.keys(inner) as [string];
      node = node.states[key] as AnyStateNode;
      inner = inner[key];
    }
    return inner === undefined ? node : (node.states[inner] as AnyStateNode);
  }

  #changeBy(transition: AnyTransitionDefinition): Change | 'beyond' | null {
    const known = this.#changes.get(transition);
    if (known !== undefined) return known;
    const change = changeBy(transition);
    this.#changes.set(transition, change);
    return change;
  }

  #snapshotOf({ leaf, context, output }: Macrostep): AnyMachineSnapshot {
    const known =
      this.#snapshots.get(leaf) ?? this.#machine.resolveState({ value: stateValueOf(leaf), context });
    this.#snapshots.set(leaf, known);
    return { ...known, context, output } as AnyMachineSnapshot;
  }
}

/** One event and the transitions without an event that it sets off. */
class Macrostep {
  readonly asked: Asked[] = [];
  leaf: AnyStateNode;
  context: object;
  /** Of the machine, at its end. */
  output: unknown;
  /** Whether xstate would have made a new snapshot. */
  hasMoved = false;
  readonly #machine: AnyStateMachine;
  readonly #event: EventObject;

  constructor(
    machine: AnyStateMachine,
    leaf: AnyStateNode,
    { context, event }: { context: object; event: EventObject },
  ) {
    this.#machine = machine;
    this.leaf = leaf;
    this.context = context;
    this.#event = event;
  }

  /** The transition that the event selects, or one without an event: of the innermost state that has one. */
  selected(type: string | null): AnyTransitionDefinition | null {
    if (this.leaf.type === 'final') return null;
    for (let node: AnyStateNode | undefined = this.leaf; node; node = node.parent)
      for (const transition of (type === null ? node.always : node.transitions.get(type)) ?? [])
        if (this.#passes(transition)) return transition;
    return null;
  }

  #passes({ guard }: AnyTransitionDefinition): boolean {
    if (typeof guard !== 'string') return true;
    const check = this.#machine.implementations.guards[guard] as (args: object) => boolean;
    return check({ context: this.context, event: this.#event });
  }

  /** @returns whether it moved anything */
  take(transition: AnyTransitionDefinition, change: Change | null): boolean {
    const hadMoved = this.hasMoved;
    this.hasMoved = false;
    if (change)
      for (let node = this.leaf; node !== change.domain; node = node.parent as AnyStateNode)
        this.#performAll(node.exit);
    this.#performAll(transition.actions);
    for (const node of change?.entered ?? []) this.#performAll(node.entry);
    const leaf = change?.entered.at(-1) ?? this.leaf;
    if (leaf !== this.leaf) this.hasMoved = true;
    this.leaf = leaf;
    if (leaf.type === 'final') this.#end(leaf);
    const moves = this.hasMoved;
    this.hasMoved ||= hadMoved;
    return moves;
  }

  #end(leaf: AnyStateNode): void {
    const { root } = this.#machine;
    const event = { type: `xstate.done.state.${leaf.id}`, output: undefined };
    const { output } = root;
    const args = {
      context: this.context,
      event,
      get self(): never {
        throw new Error('the actor is xstate’s');
      },
    };
    this.output = typeof output === 'function' ? output(args) : output;
    this.#performAll(leaf.exit);
    this.#performAll(root.exit);
  }

  #performAll(actions: readonly unknown[]): void {
    for (const action of actions) this.#perform(action as GivenAction);
  }

  #perform(action: GivenAction): void {
    const { type, params } = typeof action === 'string' ? { type: action } : action;
    const args = { context: this.context, event: this.#event };
    const given = typeof params === 'function' ? params(args) : params;
    const own = ownOf(this.#machine.implementations.actions[type]);
    if (own === undefined) this.asked.push({ type, params: given });
    else if ('assignment' in own) this.#assign(own.assignment as Assignment, given);
    else this.#collect(own.collect as Collect);
  }

  /** Queued actions run after the action itself, and see its assignments. */
  #collect(collect: Collect): void {
    const queued: (() => void)[] = [];
    const enqueue = (action: GivenAction) => void queued.push(() => this.#perform(action));
    const assign = (assignment: Assignment) => void queued.push(() => this.#assign(assignment, undefined));
    collect({ context: this.context, event: this.#event, enqueue: Object.assign(enqueue, { assign }) });
    for (const next of queued) next();
  }

  #assign(assignment: Assignment, params: unknown): void {
    const args = { context: this.context, event: this.#event };
    this.context = Object.assign({}, this.context, changed(assignment, args, params));
    this.hasMoved = true;
  }
}

type GivenAction = string | { type: string; params?: unknown };

type Assignment = ((args: object, params: unknown) => object) | Readonly<Record<string, unknown>>;

type Collect = (args: object) => void;

function changed(assignment: Assignment, args: object, params: unknown): object {
  if (typeof assignment === 'function') return assignment(args, params);
  const change: Record<string, unknown> = {};
  for (const key of Object.keys(assignment)) {
    const value = assignment[key];
    change[key] = typeof value === 'function' ? value(args, params) : value;
  }
  return change;
}

/** What one of our actions does; undefined for one that the host performs. */
function ownOf(action: unknown): Own | undefined {
  return typeof action === 'function' && 'own' in action ? (action.own as Own) : undefined;
}

/** Actions and guards that xstate makes have fields. */
function isPlain(implementation: unknown): boolean {
  return typeof implementation === 'function' && Object.keys(implementation).length === 0;
}

function isNested(node: AnyStateNode, machine: AnyStateMachine): boolean {
  if (node.invoke.length > 0 || node.config.after || !isNamed(node, machine)) return false;
  if (node.type === 'atomic' || node.type === 'final') return node.output === undefined;
  if (node.type !== 'compound') return false;
  const [first, ...others] = node.initial.target;
  const isPlainStart = first?.parent === node && others.length === 0 && node.initial.actions.length === 0;
  return isPlainStart && Object.values(node.states).every((inner) => isNested(inner, machine));
}

/** Whether its transitions and actions are named, so that their implementations are known; and its events, too. */
function isNamed({ transitions, always = [], entry, exit }: AnyStateNode, machine: AnyStateMachine): boolean {
  if ([...transitions.keys()].some((type) => type.includes('*') || type.startsWith('xstate.'))) return false;
  const all = [...[...transitions.values()].flat(), ...always];
  const hasName = ({ guard }: AnyTransitionDefinition) =>
    guard === undefined || (typeof guard === 'string' && guard in machine.implementations.guards);
  return (
    all.every(hasName) &&
    [...entry, ...exit, ...all.flatMap(({ actions }) => actions)].every((one) => typeof one !== 'function')
  );
}

/** @see https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation, computeExitSet and computeEntrySet */
function changeBy({ source, target = [], reenter }: AnyTransitionDefinition): Change | 'beyond' | null {
  const [goal, ...others] = target;
  if (!goal) return null;
  const isWithin = goal === source || isBelow(goal, source);
  const domain = !reenter && isWithin ? source : nearestAround(goal, source);
  if (!domain || others.length > 0) return 'beyond';
  const entered: AnyStateNode[] = [];
  for (let node: AnyStateNode | undefined = goal; node && node !== domain; node = node.parent)
    entered.unshift(node);
  for (let node = goal; node.type === 'compound'; ) {
    node = node.initial.target[0] as AnyStateNode;
    entered.push(node);
  }
  // Within another state, a final one raises an event.
  return entered.some(({ type, parent }) => type === 'final' && parent?.parent)
    ? 'beyond'
    : { domain, entered };
}

/** The innermost state that contains both. */
function nearestAround(goal: AnyStateNode, source: AnyStateNode): AnyStateNode | undefined {
  for (let node = goal.parent; node; node = node.parent) if (isBelow(source, node)) return node;
  return undefined;
}

function isBelow(node: AnyStateNode, other: AnyStateNode): boolean {
  for (let parent = node.parent; parent; parent = parent.parent) if (parent === other) return true;
  return false;
}

function stateValueOf(leaf: AnyStateNode): StateValue {
  let value: StateValue = leaf.key;
  for (let node = leaf.parent; node?.parent; node = node.parent) value = { [node.key]: value };
  return value;
}
