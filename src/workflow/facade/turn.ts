import type { AnyMachineSnapshot } from 'xstate';
import type { JsonObject } from '../../protocol/json.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import type { FlowContext, OpenService } from '../../store/stored-run.ts';
import type { ChartAction, ChartActions } from './chart-actions.ts';
import { type ChartService, spawnedId } from './chart-services.ts';
import { ChartFault, plainJson } from './plain-json.ts';

/** An action for the engine. */
export interface Asked {
  type: string;
  params: JsonObject;
}

/** How long a person has to say what became of a step. */
const reconcileMs = 7 * 86_400_000;
const maxTaints = 50;

export const retryTimer = (n: number) => `retry.${n}`;
export const reconcileTimer = (n: number) => `reconcile.${n}`;
/** The event of a timer that raises an event of the chart later. */
export const raised = 'flow.raise.';
export const retried = 'flow.retry.';
export const unknown = 'flow.unknown.';

/** The changes that one event makes to a workflow's run besides the chart's own: open services, timers and rows. */
export class Turn {
  readonly asked: Asked[] = [];
  open: readonly OpenService[];
  count: number;
  spent: FlowContext['spent'];
  tainted: readonly StoredTaint[];
  readonly delayed: Record<string, JsonObject & { type: string }>;
  readonly #services: ReadonlyMap<string, ChartService>;
  readonly #actions: ChartActions;
  /** Numbers of what this turn has begun. */
  readonly #fresh = new Set<number>();

  constructor(flow: FlowContext, services: ReadonlyMap<string, ChartService>, actions: ChartActions) {
    this.open = flow.open;
    this.count = flow.count;
    this.spent = flow.spent;
    this.tainted = flow.tainted;
    this.delayed = { ...flow.delayed };
    this.#services = services;
    this.#actions = actions;
  }

  ask(type: string, params: JsonObject): void {
    this.asked.push({ type, params });
  }

  /** Takes xstate's actions, in their order: a service that is begun and stopped in one turn never starts. */
  take(actions: readonly ChartAction[]): void {
    for (const action of actions) this.#take(action);
  }

  #take(action: ChartAction): void {
    const { type } = action;
    const params = (action.params ?? {}) as Record<string, unknown>;
    switch (type) {
      case 'xstate.spawnChild':
        this.#begin(spawnedId(params), params.src, params.input);
        return;
      case 'xstate.stopChild':
        this.#stop(params.id);
        return;
      case 'xstate.raise':
        // Without a delay, xstate has taken the event already.
        if (typeof params.delay === 'number') this.#raiseLater(params, params.delay);
        return;
      case 'xstate.cancel':
        this.clearTimer(String(params.sendId));
        return;
      case 'xstate.emit':
        this.ask('flow.emit', { event: plainJson(params.event, 'an emitted event') });
        return;
      case 'xstate.log':
        return;
    }
    if (type.startsWith('xstate.'))
      throw new ChartFault(`"${type}" cannot be made durable; see detent workflow check`);
    const name = this.#actions.nameOf(action);
    if (name !== null) this.#act(name, action);
  }

  #begin(id: string, src: unknown, given: unknown): void {
    const service = typeof src === 'string' ? this.#services.get(src) : undefined;
    if (typeof src !== 'string' || !service)
      throw new ChartFault(
        `"${typeof src === 'string' ? src : id}" is not a service: name it in setup({ actors }), and declare it with agent(), model(), tool(), ask() or step()`,
      );
    if (this.open.some((one) => one.kind !== 'action' && one.id === id))
      throw new ChartFault(`two invocations have the id "${id}" at once; give each its own`);
    const n = this.#next();
    const kind = service.kind === 'step' ? 'step' : 'run';
    const entry: OpenService = { kind, id, n, src, first: n, attempt: 1 };
    this.open = [...this.open, entry];
    this.perform(entry, { input: plainJson(given, `the input of "${id}"`) });
  }

  /** Requests a step or a run from the engine. Without an input, the input of the first attempt counts. */
  perform({ kind, id, n, src, first }: OpenService, more: JsonObject = {}): void {
    const isNew = this.#fresh.has(n);
    if (kind === 'step' && isNew) this.ask('effect.hold', { ids: [n] });
    this.ask(kind === 'step' ? 'effect.step' : 'effect.run', { effectId: n, id, src, first, ...more });
  }

  /** Begins a failed service again: with a number of its own, and the idempotency key of its first attempt. */
  again(entry: OpenService): void {
    const kind = this.#services.get(entry.src)?.kind === 'step' ? 'step' : 'run';
    const { linked: _, ...kept } = entry;
    const next: OpenService = { ...kept, kind, n: this.#next(), attempt: entry.attempt + 1 };
    this.replace(entry, next);
    this.perform(next);
  }

  #act(name: string, action: ChartAction): void {
    const n = this.#next();
    this.open = [...this.open, { kind: 'action', id: name, n, src: name, first: n, attempt: 1 }];
    this.ask('effect.act', { effectId: n, name, ...this.#actions.callOf(name, action) });
  }

  #next(): number {
    this.count++;
    this.#fresh.add(this.count);
    return this.count;
  }

  #stop(id: unknown): void {
    // The service whose end leaves the state is not open any more.
    const entry = this.open.find((one) => one.kind !== 'action' && one.id === id);
    if (entry) this.close(entry);
  }

  /** Ends a service without an output: it is aborted, or never starts. */
  close(entry: OpenService): void {
    this.drop(entry);
    if (this.#fresh.has(entry.n)) this.#takeBack(entry.n);
    else if (entry.kind === 'retry') this.ask('timer.clear', { id: retryTimer(entry.n) });
    else this.ask('effect.abort', { ids: [entry.n] });
    if (entry.kind === 'uncertain') this.closeQuestion(entry.n);
  }

  #takeBack(n: number): void {
    const own = ({ params }: Asked) =>
      params.effectId === n || (params.ids as number[] | undefined)?.includes(n);
    const kept = this.asked.filter((asked) => !own(asked));
    this.asked.splice(0, this.asked.length, ...kept);
  }

  drop(entry: OpenService): void {
    this.open = this.open.filter((one) => one !== entry);
  }

  replace(entry: OpenService, next: OpenService): void {
    this.open = this.open.map((one) => (one === entry ? next : one));
  }

  /** A person is asked whether a step ran. */
  askPerson(entry: OpenService): void {
    const { n, id, src, first } = entry;
    this.ask('reconcile.ask', { n, id, src, first });
    this.ask('timer.set', { id: reconcileTimer(n), event: `${unknown}${n}`, delayMs: reconcileMs });
  }

  /** @param result as a person typed it */
  closeQuestion(n: number, result?: unknown): void {
    this.ask('reconcile.close', { n, ...(typeof result === 'string' && { result }) });
    this.ask('timer.clear', { id: reconcileTimer(n) });
  }

  #raiseLater({ id: given, event }: Record<string, unknown>, delayMs: number): void {
    const later = plainJson(event, 'a delayed event') as JsonObject & { type: string };
    const id = typeof given === 'string' ? given : `raise.${this.#next()}`;
    // An `after` needs no row of its own in the context: its event has nothing but its type, and the chart knows it.
    const isAfter = id === later.type && id.startsWith('xstate.after.');
    if (!isAfter) this.delayed[id] = later;
    this.ask('timer.set', { id, event: isAfter ? id : `${raised}${id}`, delayMs: Math.max(0, delayMs) });
  }

  clearTimer(id: string): void {
    delete this.delayed[id];
    this.ask('timer.clear', { id });
  }

  /** Adds what a service has spent, and the sources of untrusted text in its output. */
  note({ spent, tainted }: { spent?: FlowContext['spent']; tainted?: readonly StoredTaint[] }): void {
    if (spent)
      this.spent = {
        tokens: this.spent.tokens + spent.tokens,
        costUsd: this.spent.costUsd + spent.costUsd,
      };
    const known = new Set(this.tainted.map((one) => JSON.stringify(one)));
    const added = (tainted ?? []).filter((one) => !known.has(JSON.stringify(one)));
    if (added.length > 0) this.tainted = [...this.tainted, ...added].slice(0, maxTaints);
  }

  /** Stops everything of an ended chart except its named actions. */
  end({ _nodes: nodes }: Pick<AnyMachineSnapshot, '_nodes'>): void {
    for (const entry of this.open) if (entry.kind !== 'action') this.close(entry);
    for (const id of [...afterTimers(nodes), ...Object.keys(this.delayed)]) this.clearTimer(id);
  }
}

/** The timers of the `after` of states, in the order of the chart: in memory states are in the order in which they were entered. */
export function afterTimers(nodes: AnyMachineSnapshot['_nodes']): string[] {
  const inOrder = nodes.toSorted((a, b) => a.order - b.order);
  return inOrder.flatMap((node) => node.after.map(({ eventType }) => eventType));
}
