import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, EventObject, StateValue } from 'xstate';
import { callForeign, standardError } from '../../engine/foreign-code.ts';
import {
  type DrivenMachine,
  type MachineWatch,
  PureMachine,
  type TimersOf,
  type Transitioned,
  unpacked,
} from '../../engine/machine.ts';
import { isObject } from '../../protocol/json.ts';
import {
  cancelledState,
  type FlowContext,
  type FlowOutput,
  failedState,
  type OpenService,
  queuedState,
} from '../../store/stored-run.ts';
import { guardNames } from '../check/written.ts';
import { type ChartAction, ChartActions } from './chart-actions.ts';
import { type ChartService, servicesOf, withoutActors } from './chart-services.ts';
import { cancelled, endedFlow, failedOutput, outputOf } from './flow-ends.ts';
import { type FlowEvent, settle } from './flow-events.ts';
import { ChartFault, plainJson } from './plain-json.ts';
import { afterTimers, raised, reconcileTimer, retryTimer, Turn } from './turn.ts';

/** The chart's own snapshot within that of its run; null while there is none: queued, cancelled, failed. */
const chartOwn = Symbol('chartOwn');

interface OwnChart {
  [chartOwn]: AnyMachineSnapshot | null;
}

type FlowSnapshot = Omit<AnyMachineSnapshot, 'context'> & OwnChart & { context: FlowContext };

const fresh: FlowContext = {
  user: null,
  input: null,
  count: 0,
  open: [],
  delayed: {},
  history: {},
  spent: { tokens: 0, costUsd: 0 },
  tainted: [],
  end: null,
};

/**
 * A user's chart as the engine drives it: the same states and the same events, but invocations, delays and named actions
 * come out as actions for rows, and results go in as the events that xstate would have sent itself.
 *
 * Pure. A test holds it equal to a plain `createActor` for random charts.
 */
export class DurableChart implements DrivenMachine {
  readonly definition: AnyStateMachine;
  readonly #chart: AnyStateMachine;
  readonly #pure: PureMachine;
  readonly #services: ReadonlyMap<string, ChartService>;
  readonly #actions: ChartActions;
  /** By their ids. */
  readonly #nodes = new Map<string, AnyStateNode>();

  constructor(definition: AnyStateMachine, watch?: MachineWatch) {
    this.definition = definition;
    this.#chart = withoutActors(definition);
    this.#pure = new PureMachine(this.#chart, watch);
    this.#services = servicesOf(definition);
    this.#actions = new ChartActions(this.#chart);
    this.#index(this.#chart.root);
  }

  initialTransition(input: unknown): Transitioned {
    return [this.#resting(queuedState, { ...fresh, input: plainJson(input, 'the input') }), []];
  }

  resolveState({ value, context }: { value: StateValue; context: unknown }): AnyMachineSnapshot {
    const flow = checkedFlow(context);
    if (isOutsideChart(value)) return this.#resting(value, flow);
    const lost = flow.open.find(({ kind, src }) => kind !== 'action' && !this.#services.has(src));
    if (lost)
      throw new ChartFault(`its open service "${lost.id}" is "${lost.src}", which the chart does not have`);
    const historyValue = Object.fromEntries(
      Object.entries(flow.history).flatMap(([id, known]) => {
        const nodes = known.flatMap((node) => this.#nodes.get(node) ?? []);
        // If a migration led to a chart without one of these states, its history state starts without memory.
        return nodes.length === known.length ? [[id, nodes]] : [];
      }),
    );
    const own = this.#pure.resolveState({ value, context: flow.user });
    return this.#moved({ ...own, historyValue } as AnyMachineSnapshot, flow);
  }

  transition(before: AnyMachineSnapshot, event: EventObject): Transitioned {
    const snapshot = before as FlowSnapshot;
    const own = snapshot[chartOwn];
    const turn = new Turn(snapshot.context, this.#services, this.#actions);
    // Guards and assigns may start work that fails later, too. The failure sink around the commit may be another run's,
    // so it is not used.
    const next = callForeign(
      `chart "${this.definition.id}"`,
      () =>
        own
          ? this.#take(snapshot, own, event as FlowEvent, turn)
          : this.#leave(snapshot, event as FlowEvent, turn),
      standardError,
    );
    return [next ?? before, turn.asked];
  }

  /** The guards that decide on an event in this state, by their names in the chart; null if it has no transition for it. */
  guardOn(snapshot: AnyMachineSnapshot, type: string): string | null {
    const nodes = (snapshot as Partial<FlowSnapshot>)[chartOwn]?._nodes ?? [];
    const names = nodes
      .flatMap((node) => node.transitions.get(type) ?? [])
      .flatMap(({ guard }) => guardNames(guard));
    return names.length === 0 ? null : [...new Set(names)].join(', ');
  }

  #index(node: AnyStateNode): void {
    this.#nodes.set(node.id, node);
    for (const inner of Object.values(node.states)) this.#index(inner);
  }

  watched(definition: AnyStateMachine, watch: MachineWatch): DurableChart {
    return new DurableChart(definition, watch);
  }

  /**
   * The timers that a run in this state may have, in the order of the chart. Each may be missing, since an `after` may
   * have fired without a transition.
   */
  timersOf(snapshot: AnyMachineSnapshot): TimersOf {
    const { open, delayed } = (snapshot as FlowSnapshot).context;
    const own = open.flatMap(({ kind, n }) =>
      kind === 'retry' ? [retryTimer(n)] : kind === 'uncertain' ? [reconcileTimer(n)] : [],
    );
    return {
      set: new Map(),
      cleared: new Set([...afterTimers(snapshot._nodes), ...Object.keys(delayed), ...own]),
    };
  }

  /** A run that is queued starts, or ends before it has started. */
  #leave(before: FlowSnapshot, event: FlowEvent, turn: Turn): AnyMachineSnapshot | null {
    if (before.value !== queuedState) return null;
    if (event.type === 'run.cancel') return this.#end(before, cancelled(event.reason), turn);
    if (event.type === 'run.faulted') return this.#end(before, failedOutput(event), turn);
    if (event.type !== 'run.start') return null;
    // A run without an input has an undefined input, like an actor without one.
    const [own, actions] = this.#pure.initialTransition(before.context.input ?? undefined);
    return this.#next(own, actions as readonly ChartAction[], { ...before.context, input: null }, turn);
  }

  /** Null for an event that changes nothing. */
  #take(
    before: FlowSnapshot,
    own: AnyMachineSnapshot,
    event: FlowEvent,
    turn: Turn,
  ): AnyMachineSnapshot | null {
    const flow = before.context;
    if (event.type === 'run.faulted') return this.#fail(own, flow, failedOutput(event), turn);
    const isTaken = !event.withoutChart && handles(own, 'run.cancel');
    // A chart that has ended takes no event. Only its actions are left, and one of them may never return.
    const isCancelled = event.type === 'run.cancel' && (flow.end !== null || !isTaken);
    if (isCancelled) return this.#end(before, cancelled(event.reason), turn);
    const settled = settle(turn, flow, this.#services, event);
    if (settled.kind === 'ignored') return null;
    if (settled.kind === 'failed') return this.#fail(own, flow, settled.output, turn);
    if (settled.kind === 'event' && flow.end && turn.open === flow.open) return null;
    if (settled.kind === 'noted' || flow.end) return this.#moved(own, this.#flowOf(own, flow, turn));
    const children = childrenOf(flow.open.filter((one) => turn.open.includes(one)));
    const whole = { ...own, children } as AnyMachineSnapshot;
    const [next, actions] = this.#pure.transition(whole, unpacked(settled.event));
    const isNoted = turn.asked.length > 0 || turn.open !== flow.open;
    // The delayed event counts as raised, whether or not the chart takes it.
    const hasMoved = next !== whole || actions.length > 0 || isNoted || event.type.startsWith(raised);
    if (!hasMoved) return null;
    return this.#next(next, actions as readonly ChartAction[], flow, turn);
  }

  /** The snapshot after the chart's own transition. */
  #next(
    own: AnyMachineSnapshot,
    actions: readonly ChartAction[],
    flow: FlowContext,
    turn: Turn,
  ): AnyMachineSnapshot {
    const known = turn.open;
    turn.take(actions);
    if (own.status === 'active') refuseSpawned(own, [...known, ...turn.open]);
    const end = outputOf(own);
    if (end) turn.end(own);
    return this.#moved(own, this.#flowOf(own, { ...flow, end }, turn));
  }

  #flowOf(
    own: AnyMachineSnapshot,
    flow: FlowContext,
    { open, count, spent, tainted, delayed }: Turn,
  ): FlowContext {
    const history = Object.entries(own.historyValue ?? {}).map(([id, nodes]) => [id, remembered(nodes)]);
    const user = plainJson(own.context, 'context');
    return { ...flow, user, open, count, spent, tainted, delayed, history: Object.fromEntries(history) };
  }

  #moved(own: AnyMachineSnapshot, flow: FlowContext): AnyMachineSnapshot {
    const children = childrenOf(flow.open);
    // The chart continues with the value that the row will hold.
    const chart = { ...own, context: flow.user, children } as AnyMachineSnapshot;
    const isOver = flow.end !== null && flow.open.length === 0;
    return {
      ...chart,
      [chartOwn]: chart,
      context: flow,
      status: isOver ? 'done' : 'active',
      output: isOver ? flow.end : undefined,
      error: undefined,
      can: (event: EventObject) =>
        flow.end === null ? canTake(chart, event) : !isOver && event.type === 'run.cancel',
    } as AnyMachineSnapshot & OwnChart;
  }

  /** Ends a run whose chart, or an action of it, has thrown: as in xstate, in the state that it has reached. */
  #fail(own: AnyMachineSnapshot, flow: FlowContext, end: FlowOutput, turn: Turn): AnyMachineSnapshot {
    endAll(own, turn);
    return this.#moved(own, this.#flowOf(own, { ...flow, end }, turn));
  }

  /** Ends a run from outside of its chart. */
  #end(before: FlowSnapshot, output: FlowOutput, turn: Turn): AnyMachineSnapshot {
    endAll(before, turn);
    return this.#resting(
      output.outcome === 'cancelled' ? cancelledState : failedState,
      endedFlow(before.context, output, turn),
    );
  }

  #resting(value: string, context: FlowContext): AnyMachineSnapshot {
    const takes = value === queuedState ? ['run.start', 'run.cancel'] : [];
    return {
      ...outsideChart(this.definition, value, context, takes),
      [chartOwn]: null,
    } as AnyMachineSnapshot & OwnChart;
  }
}

/**
 * The snapshot of a run in a state that is none of its chart.
 *
 * @param takes the types of the events that it takes; none when it has ended
 */
export function outsideChart(
  machine: AnyStateMachine,
  value: StateValue,
  context: FlowContext,
  takes: readonly string[],
): AnyMachineSnapshot {
  const isEnded = takes.length === 0;
  return {
    machine,
    value,
    context,
    status: isEnded ? 'done' : 'active',
    output: isEnded ? context.end : undefined,
    error: undefined,
    children: {},
    historyValue: {},
    tags: new Set<string>(),
    _nodes: [],
    can: ({ type }: EventObject) => takes.includes(type),
    hasTag: () => false,
    matches: (other: StateValue) => other === value,
    getMeta: () => ({}),
    toJSON: () => ({ value, context }),
  } as AnyMachineSnapshot;
}

/** Stops everything of the run, including its named actions. */
function endAll(snapshot: Pick<AnyMachineSnapshot, '_nodes'>, turn: Turn): void {
  turn.end(snapshot);
  for (const entry of turn.open) turn.close(entry);
}

/**
 * The ids of remembered states, in the order of the chart. xstate orders them by entry, which a row does not store, so
 * a replay would get another order.
 */
function remembered(nodes: unknown): string[] {
  const inOrder = [...(nodes as AnyStateNode[])].sort((a, b) => a.order - b.order);
  return inOrder.map(({ id }) => id);
}

/** The context of a row, checked: a run must not continue from a row that was changed by hand or by another program. */
function checkedFlow(context: unknown): FlowContext {
  const keys = Object.keys(fresh).filter((key) => !isObject(context) || !Object.hasOwn(context, key));
  if (keys.length > 0) throw new ChartFault(`its context lacks ${keys.join(', ')}`);
  const { open } = context as FlowContext;
  if (Array.isArray(open) && open.every(({ n, id, src }) => isNumber(n) && isText(id) && isText(src)))
    return context as FlowContext;
  throw new ChartFault('its open services are not readable');
}

const isNumber = (value: unknown) => Number.isSafeInteger(value);
const isText = (value: unknown) => typeof value === 'string';

function isOutsideChart(value: StateValue): value is string {
  return value === queuedState || value === cancelledState || value === failedState;
}

/** Stand-ins for the actors of invocations: xstate checks that they exist, and reads their ids. */
function childrenOf(open: readonly OpenService[]): Record<string, object> {
  const invoked = open.filter(({ kind }) => kind !== 'action');
  return Object.fromEntries(invoked.map(({ id, src }) => [id, new IdleActor(id, src)]));
}

class IdleActor {
  readonly id: string;
  readonly src: string;
  readonly sessionId: string;

  constructor(id: string, src: string) {
    this.id = id;
    this.src = src;
    this.sessionId = id;
  }

  send(): void {}

  getSnapshot(): object {
    return { status: 'active' };
  }

  toJSON(): object {
    return { id: this.id };
  }
}

/** xstate silently makes actors for `spawn` in an assignment, and after a restart nothing would start them again. */
function refuseSpawned({ children }: AnyMachineSnapshot, known: readonly OpenService[]): void {
  const spawned = Object.keys(children).find((id) => !known.some((one) => one.id === id));
  if (spawned !== undefined)
    throw new ChartFault(
      `"${spawned}" was made by spawn() in an assignment; use invoke, which a restart finds again`,
    );
}

/** Whether a state names this very event. A wildcard is no answer to a cancellation. */
function handles({ _nodes: nodes }: AnyMachineSnapshot, type: string): boolean {
  return nodes.some((node) => node.transitions.has(type));
}

function canTake(chart: AnyMachineSnapshot, event: EventObject): boolean {
  if (event.type === 'run.cancel') return true;
  if (event.type === 'run.start') return false;
  try {
    return chart.machine.getTransitionData(chart, event).length > 0;
  } catch {
    // The guard reads fields that only a real event has.
    return false;
  }
}
