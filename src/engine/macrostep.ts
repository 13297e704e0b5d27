import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, EventObject } from 'xstate';

/** An action of a transition, not performed. */
export interface Asked {
  type: string;
  params: unknown;
}

/** What a transition does to the states: all below `domain` are left, those in `entered` are entered, outermost first. */
export interface Change {
  domain: AnyStateNode;
  entered: readonly AnyStateNode[];
}

/** Thrown where only xstate can go on. */
export class Beyond extends Error {}

/** One event and the transitions without an event that it sets off. */
export class Macrostep {
  readonly asked: Asked[] = [];
  leaf: AnyStateNode;
  context: object;
  /** Of the machine, at its end. */
  output: unknown;
  /** Whether xstate would have made another snapshot. */
  hasMoved = false;
  readonly #machine: AnyStateMachine;
  readonly #event: EventObject;
  readonly #changeBy: (transition: AnyTransitionDefinition) => Change | null;
  readonly #took: ((transition: AnyTransitionDefinition) => void) | undefined;

  /** @param took gets each transition, before it is performed. */
  constructor(
    machine: AnyStateMachine,
    leaf: AnyStateNode,
    { context, event }: { context: object; event: EventObject },
    changeOf: (transition: AnyTransitionDefinition) => Change | null,
    took?: (transition: AnyTransitionDefinition) => void,
  ) {
    this.#machine = machine;
    this.leaf = leaf;
    this.context = context;
    this.#event = event;
    this.#changeBy = changeOf;
    this.#took = took;
  }

  run([selected, ...others]: readonly AnyTransitionDefinition[]): void {
    if (others.length > 0) throw new Beyond();
    if (selected) this.#take(selected);
    for (let next = this.#always(); next; next = this.#always()) {
      const hadMoved = this.hasMoved;
      this.hasMoved = false;
      this.#take(next);
      const isStill = !this.hasMoved;
      this.hasMoved ||= hadMoved;
      // The same transition would be selected for ever, so xstate stops, too.
      if (isStill) break;
    }
  }

  #always(): AnyTransitionDefinition | null {
    if (this.leaf.type === 'final') return null;
    for (let node: AnyStateNode | undefined = this.leaf; node; node = node.parent)
      for (const transition of node.always ?? []) if (this.#passes(transition)) return transition;
    return null;
  }

  #passes({ guard }: AnyTransitionDefinition): boolean {
    if (guard === undefined) return true;
    const check = typeof guard === 'string' ? this.#machine.implementations.guards[guard] : undefined;
    if (typeof check !== 'function' || 'check' in check) throw new Beyond();
    return (check as (args: object) => boolean)({ context: this.context, event: this.#event });
  }

  #take(transition: AnyTransitionDefinition): void {
    this.#took?.(transition);
    const change = this.#changeBy(transition);
    if (change)
      for (let node = this.leaf; node !== change.domain; node = node.parent as AnyStateNode)
        this.#performAll(node.exit);
    this.#performAll(transition.actions);
    for (const node of change?.entered ?? []) this.#performAll(node.entry);
    const leaf = change?.entered.at(-1) ?? this.leaf;
    if (leaf !== this.leaf) this.hasMoved = true;
    this.leaf = leaf;
    if (leaf.type === 'final') this.#end(leaf);
  }

  #end(leaf: AnyStateNode): void {
    const { root } = this.#machine;
    const ended = { type: `xstate.done.state.${leaf.id}`, output: undefined };
    const { output } = root;
    this.output = typeof output === 'function' ? output(new ActionArgs(this.context, ended)) : output;
    this.#performAll(leaf.exit);
    this.#performAll(root.exit);
  }

  #performAll(actions: readonly unknown[]): void {
    for (const action of actions) this.#perform(action);
  }

  #perform(action: unknown): void {
    if (typeof action === 'function') {
      this.#resolve(action as Resolvable, undefined);
      return;
    }
    const { type, params } = (typeof action === 'string' ? { type: action } : action) as GivenAction;
    const args = { context: this.context, event: this.#event };
    const given = typeof params === 'function' ? params(args) : params;
    const implementation = this.#machine.implementations.actions[type];
    if (implementation && 'resolve' in implementation) this.#resolve(implementation as Resolvable, given);
    else this.asked.push({ type, params: given });
  }

  /** An action that changes the context, or queues other actions. */
  #resolve(action: Resolvable, params: unknown): void {
    const args = new ActionArgs(this.context, this.#event);
    if (action.type === 'xstate.assign' && action.assignment) this.#assign(action.assignment, args, params);
    else if (action.type === 'xstate.enqueueActions' && action.collect) {
      action.collect(args, params);
      for (const queued of args.queued)
        if (queued instanceof Assigning)
          this.#assign(queued.assignment, new ActionArgs(this.context, this.#event), undefined);
        else this.#perform(queued);
    } else throw new Beyond();
  }

  #assign(assignment: Assignment, args: ActionArgs, params: unknown): void {
    this.context = Object.assign({}, this.context, changed(assignment, args, params));
    this.hasMoved = true;
  }
}

interface GivenAction {
  type: string;
  params?: unknown;
}

type Assignment = ((args: ActionArgs, params: unknown) => object) | Readonly<Record<string, unknown>>;

/** What `assign` and `enqueueActions` of xstate make. */
interface Resolvable {
  type?: string;
  assignment?: Assignment;
  collect?: (args: ActionArgs, params: unknown) => void;
}

function changed(assignment: Assignment, args: ActionArgs, params: unknown): object {
  if (typeof assignment === 'function') return assignment(args, params);
  const change: Record<string, unknown> = {};
  for (const key of Object.keys(assignment)) {
    const value = assignment[key];
    change[key] = typeof value === 'function' ? value(args, params) : value;
  }
  return change;
}

/** An assignment that `enqueueActions` has queued. */
class Assigning {
  readonly assignment: Assignment;

  constructor(assignment: Assignment) {
    this.assignment = assignment;
  }
}

/** What an action gets: the context and the event. What belongs to actors, xstate gives. */
class ActionArgs {
  readonly context: object;
  readonly event: EventObject;
  readonly queued: unknown[] = [];

  constructor(context: object, event: EventObject) {
    this.context = context;
    this.event = event;
  }

  get enqueue(): object {
    const enqueue = (action: unknown) => void this.queued.push(action);
    return Object.assign(enqueue, {
      ...othersToQueue,
      assign: (assignment: Assignment) => void this.queued.push(new Assigning(assignment)),
    });
  }

  get check(): never {
    return beyond();
  }

  get self(): never {
    return beyond();
  }

  get system(): never {
    return beyond();
  }

  get spawn(): never {
    return beyond();
  }
}

const beyond = (): never => {
  throw new Beyond();
};

const othersToQueue = {
  cancel: beyond,
  raise: beyond,
  sendTo: beyond,
  sendParent: beyond,
  spawnChild: beyond,
  stopChild: beyond,
  emit: beyond,
};
