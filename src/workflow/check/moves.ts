import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, EventObject } from 'xstate';
import { maxMicrosteps, spawnedId } from '../facade/chart-services.ts';
import { addSendTo, addSpawn, addUnknown, checkSpawn } from './actions.ts';
import type { CheckCode, Findings } from './findings.ts';
import { notJson } from './not-json.ts';
import { keepJson } from './services.ts';
import type { Action, Move } from './trial.ts';
import { actionsOf, handles, implementationName, nodesOf, own, writtenAction } from './written.ts';

export const isImpure =
  'the transition gives a different result when it is repeated: a guard, assign, input or delay reads the clock or random numbers';
export const becomePure = 'take the time from event.at, and an id or a number from a step()';

/** What the moves of a chart show that its config does not. */
export class MoveFindings {
  readonly #chart: AnyStateMachine;
  readonly #findings: Findings;
  readonly #nodes: readonly AnyStateNode[];
  /** Functions and names in the config itself, which were checked there already. */
  readonly #written: ReadonlySet<unknown>;
  /** States in which `enqueueActions()` raised an event for later. */
  readonly raisers = new Set<AnyStateNode>();
  /** The events from outside of which the chart reads more than the type, each with a state that takes it. */
  readonly payloads = new Map<string, AnyStateNode>();
  readonly #raised = new Map<string, EventObject>();
  readonly #said = new Set<string>();

  constructor(chart: AnyStateMachine, findings: Findings) {
    this.#chart = chart;
    this.#findings = findings;
    this.#nodes = [...nodesOf(chart.root)];
    const actions = this.#nodes.flatMap(actionsOf);
    this.#written = new Set(
      actions.map((action) => (typeof action === 'function' ? action : implementationName(action))),
    );
  }

  /** Events that the chart raises later, one of each type. */
  get raised(): Iterable<EventObject> {
    return this.#raised.values();
  }

  /**
   * @param from null for the first move
   * @param isGuess made-up values led here: NaN and infinite numbers say nothing about the chart then
   */
  look(from: AnyMachineSnapshot | null, event: EventObject, move: Move, isGuess: boolean): void {
    const active = from?._nodes ?? [];
    const at = this.#own(active.findLast((node) => handles(node, event.type)) ?? this.#chart.root);
    if (move.hasMutated)
      this.#findings.add(
        'IMPURE',
        at,
        `${whenText(event.type)}, it changes the given context`,
        'leave that as it is, and return a new value from assign()',
      );
    else if (!move.isPure)
      this.#findings.add('IMPURE', at, `${whenText(event.type)}, ${isImpure}`, becomePure);
    const { next, actions } = move;
    if (next === null) this.#lookAtError(move.error, at, isGuess);
    else {
      this.#lookAtActions(from, next, actions, isGuess);
      this.#lookAtContext(next, isGuess);
    }
  }

  /** The chart has read what an event brings. */
  notePayload({ _nodes }: AnyMachineSnapshot, type: string): void {
    const taking = _nodes.findLast(({ ownEvents }) => (ownEvents as string[]).includes(type));
    if (taking && !this.payloads.has(type)) this.payloads.set(type, this.#own(taking));
  }

  #lookAtError(error: unknown, at: AnyStateNode, isGuess: boolean): void {
    const message = error instanceof Error ? error.message : '';
    if (message.startsWith('Infinite loop detected') && !isGuess)
      this.#findings.add(
        'ENDLESS_LOOP',
        at,
        `loops forever: more than ${maxMicrosteps} steps for one event`,
        'give one of its always, or of the events that it raises, a guard that ends it',
      );
    // XState throws when there is no such child, and a chart has no parent here.
    if (message.startsWith('Unable to send event to actor') && !this.#isSaid('SEND_TO'))
      addSendTo(this.#nodes.find((node) => this.#has(node, 'xstate.enqueueActions')) ?? at, this.#findings);
  }

  /** A context is passed from state to state, so its faults are reported once, where they first occur. */
  #lookAtContext({ _nodes, context, output }: AnyMachineSnapshot, isGuess: boolean): void {
    const leaf = this.#leafOf(_nodes);
    for (const { path, what } of [
      ...notJson(context, 'context', { isGuess, actors: true }),
      ...notJson(output, 'output', { isGuess }),
    ]) {
      if (this.#said.has(path)) continue;
      this.#said.add(path);
      this.#findings.add('CONTEXT_NOT_JSON', leaf, `${path} is ${what}`, keepJson);
    }
  }

  #lookAtActions(
    from: AnyMachineSnapshot | null,
    next: AnyMachineSnapshot,
    actions: readonly Action[],
    isGuess: boolean,
  ): void {
    const nodes = [...(from?._nodes ?? [this.#chart.root]), ...next._nodes].map((node) => this.#own(node));
    const leaf = this.#leafOf(next._nodes);
    const ownerOf = (type: string) => nodes.find((node) => this.#has(node, type));
    const enqueuing = ownerOf('xstate.enqueueActions');
    const spawned = new Set<string>();
    for (const { type, params, exec } of actions) {
      const made = (params ?? {}) as Record<string, unknown>;
      if (type === 'xstate.spawnChild') {
        const id = spawnedId(made);
        spawned.add(id);
        const invoking = nodes.find((node) => node.invoke.some((invoke) => invoke.id === id));
        if (!invoking && enqueuing && !this.#isSaid('SPAWN')) checkSpawn(made, enqueuing, this.#findings);
        const at = invoking ?? ownerOf(type) ?? enqueuing ?? leaf;
        this.#lookAtPayload(made.input, 'input', ` of "${id}"`, at, isGuess);
      } else if (type === 'xstate.sendTo') {
        if (enqueuing && !this.#isSaid('SEND_TO')) addSendTo(enqueuing, this.#findings);
      } else if (type === 'xstate.raise') {
        if (made.delay === undefined) continue;
        const event = made.event as EventObject;
        if (event.type.startsWith('xstate.')) continue;
        this.#raised.set(event.type, event);
        if (enqueuing) this.raisers.add(enqueuing).add(leaf);
        this.#lookAtPayload(event, 'event', `, "${event.type}", which is raised later,`, leaf, isGuess);
      } else if (!type.startsWith('xstate.')) {
        this.#lookAtCustom(type, exec, enqueuing);
        this.#lookAtPayload(params, 'params', ` of the action "${type}"`, enqueuing ?? leaf, isGuess);
      }
    }
    const before = new Set(Object.keys(from?.children ?? {}));
    const isFirst = from === null && typeof this.#chart.config.context === 'function';
    for (const id of Object.keys(next.children))
      if (!before.has(id) && !spawned.has(id))
        addSpawn(
          'has spawn() in an assign or in the first context, of which XState tells by no action',
          (isFirst ? null : (ownerOf('xstate.assign') ?? enqueuing)) ?? this.#chart.root,
          this.#findings,
        );
  }

  /** Reports a custom action that was enqueued and is not in the config. */
  #lookAtCustom(name: string, exec: unknown, enqueuing: AnyStateNode | undefined): void {
    if (!enqueuing || this.#written.has(exec)) return;
    if (exec !== undefined && own(this.#chart.implementations.actions, name) === exec) return;
    if (typeof exec === 'function')
      addEnqueued(name === '(anonymous)' ? '' : name, enqueuing, this.#findings);
    else if (!this.#written.has(name)) addUnknown(name, enqueuing, this.#findings);
  }

  #lookAtPayload(value: unknown, name: string, of: string, at: AnyStateNode, isGuess: boolean): void {
    for (const { path, what } of notJson(value, name, { isGuess }))
      this.#findings.add('INPUT_NOT_JSON', at, `${path}${of} is ${what}`, keepJson);
  }

  #has(node: AnyStateNode, builtIn: string): boolean {
    return actionsOf(node).some((action) => {
      const written = writtenAction(action, this.#chart);
      return written.kind === 'built-in' && written.type === builtIn;
    });
  }

  #isSaid(code: CheckCode): boolean {
    return this.#nodes.some((node) => this.#findings.has(code, node));
  }

  /** The node of the chart itself: the moves are made by a copy. */
  #own({ path }: AnyStateNode): AnyStateNode {
    return path.reduce((node: AnyStateNode, key) => node.states[key] ?? node, this.#chart.root);
  }

  #leafOf(nodes: readonly AnyStateNode[]): AnyStateNode {
    return this.#own(nodes.find(({ type }) => type === 'atomic' || type === 'final') ?? this.#chart.root);
  }
}

/** When an event comes, for people. */
function whenText(type: string): string {
  const [, what, , id] = /^xstate\.(done|error)\.(actor|state)\.(.*)$/.exec(type) ?? [];
  if (what) return what === 'done' ? `when "${id}" is done` : `when "${id}" has failed`;
  if (type.startsWith('xstate.after.')) return 'when its time is over';
  return type === 'xstate.init' ? 'at the start' : `on "${type}"`;
}

function addEnqueued(name: string, node: AnyStateNode, findings: Findings): void {
  findings.add(
    'NOT_DURABLE',
    node,
    `enqueueActions() adds an action that is written inline${name ? ` ("${name}")` : ''}: a stored run could not find it again`,
    'name it in setup({ actions }), and enqueue its name',
  );
}
