import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  EventObject,
  StateValue,
} from 'xstate';
import { type Asked, Beyond, type Change, Macrostep } from './macrostep.ts';

/**
 * Applies events as xstate does, to a machine whose states are only nested: one leaf is active at a time.
 *
 * xstate serves every kind of machine. So it makes a snapshot for each single assignment, and computes its state value
 * from sets of nodes, which took an eighth of the CPU time of a run's step. Without parallel states, the change of states
 * depends on the transition alone and the state value on the leaf alone, so both are computed once. Which transition an
 * event selects, xstate still says.
 *
 * A test holds the two equal over the whole graph of the run machine.
 */
export class NestedStates {
  readonly #machine: AnyStateMachine;
  readonly #changes = new Map<AnyTransitionDefinition, Change | null>();
  /** A snapshot for each leaf, of whatever context. */
  readonly #snapshots = new Map<AnyStateNode, AnyMachineSnapshot>();

  private constructor(machine: AnyStateMachine) {
    this.#machine = machine;
  }

  /** Null for a machine with states of another kind. */
  static of(machine: AnyStateMachine): NestedStates | null {
    const isUnbounded =
      (machine.options?.maxIterations ?? Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY;
    return isUnbounded && isNested(machine.root) ? new NestedStates(machine) : null;
  }

  /**
   * The snapshot after an event, and the actions; the same snapshot when nothing changed. Null when only xstate can tell:
   * for events and actions of its own, for guards with parameters, at a final state within another.
   *
   * @param took gets each transition that is taken, in their order.
   * @throws what the machine throws.
   */
  transition(
    before: AnyMachineSnapshot,
    event: EventObject,
    took?: (transition: AnyTransitionDefinition) => void,
  ): [AnyMachineSnapshot, Asked[]] | null {
    if (event.type.startsWith('xstate.') || Object.keys(before.children).length > 0) return null;
    const leaf = this.#leafOf(before.value);
    const changeBy = (transition: AnyTransitionDefinition) => this.#changeBy(transition);
    const step = new Macrostep(this.#machine, leaf, { context: before.context, event }, changeBy, took);
    try {
      step.run(this.#machine.getTransitionData(before, event));
    } catch (thrown) {
      if (thrown instanceof Beyond) return null;
      throw thrown;
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

  #changeBy(transition: AnyTransitionDefinition): Change | null {
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

function isNested(node: AnyStateNode): boolean {
  if (node.invoke.length > 0 || node.config.after) return false;
  if (node.type === 'atomic' || node.type === 'final') return node.output === undefined;
  if (node.type !== 'compound') return false;
  const [first, ...others] = node.initial.target;
  const isPlain = first?.parent === node && others.length === 0 && node.initial.actions.length === 0;
  return isPlain && Object.values(node.states).every(isNested);
}

/** @see https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation, computeExitSet and computeEntrySet */
function changeBy({ source, target = [], reenter }: AnyTransitionDefinition): Change | null {
  const [goal, ...others] = target;
  if (!goal) return null;
  if (others.length > 0) throw new Beyond();
  const isWithin = goal === source || isBelow(goal, source);
  const domain = !reenter && isWithin ? source : nearestAround(goal, source);
  const entered: AnyStateNode[] = [];
  for (let node: AnyStateNode | undefined = goal; node && node !== domain; node = node.parent)
    entered.unshift(node);
  for (let node = goal; node.type === 'compound'; ) {
    node = node.initial.target[0] as AnyStateNode;
    entered.push(node);
  }
  // Within another state, a final one raises an event.
  if (entered.some(({ type, parent }) => type === 'final' && parent?.parent)) throw new Beyond();
  return { domain, entered };
}

/** The innermost state that has both within it. */
function nearestAround(goal: AnyStateNode, source: AnyStateNode): AnyStateNode {
  for (let node = goal.parent; node; node = node.parent) if (isBelow(source, node)) return node;
  throw new Beyond();
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
