import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { chartHash } from './chart-hash.ts';
import { ChartFault, plainJson } from './plain-json.ts';
import { hasThrownObject } from './service-failure.ts';

/** An action as its row stores it. It may be performed after later transitions, and by another process. */
export type ActionCall = {
  params?: JsonValue;
  /** The arguments that xstate passes. Without them, the action has only its params. `thrown`: see `hasThrownObject`. */
  given?: { context: JsonValue; event: JsonValue; at?: number; thrown?: true };
  /** For an inline action: the hash of the chart in which it has this place. */
  chart?: string;
};

/** An action of xstate's pure `transition()`, with resolved params. */
export interface ChartAction {
  type: string;
  params?: unknown;
  /** The function, unless it is one of xstate's own. */
  exec?: unknown;
  info?: { context?: unknown; event?: unknown };
}

type Perform = (given: object, params: unknown) => unknown;

/** Characters of the context and the event that a row of an action may hold. */
const maxGiven = 65_536;

/**
 * The actions of a chart that are its author's own functions, by names that a row can hold: their names in
 * `setup({ actions })`, or the place in the chart of one that is written inline, such as `order.paid.entry[0]`.
 */
export class ChartActions {
  readonly #named: Readonly<Record<string, unknown>>;
  readonly #places = new Map<unknown, string>();
  readonly #inline = new Map<string, Perform>();
  readonly #hash: string;

  constructor(chart: AnyStateMachine) {
    this.#named = chart.implementations.actions as Record<string, unknown>;
    this.#hash = chartHash(chart);
    this.#index(chart.root);
  }

  /**
   * Null for an action that the chart names without implementing it: as in xstate, it does nothing.
   *
   * @throws ChartFault for a function that `enqueueActions()` has made.
   */
  nameOf({ type, exec }: ChartAction): string | null {
    const known = this.#named[type];
    if (Object.hasOwn(this.#named, type) && (exec === undefined || exec === known)) return type;
    if (exec === undefined) return null;
    const place = this.#places.get(exec);
    if (place !== undefined) return place;
    throw new ChartFault(
      `an action that enqueueActions() adds is written inline: no row could name it; name it in setup({ actions })`,
    );
  }

  /** Undefined for an action that this chart lacks, because a migration changed the run's chart. */
  find(name: string, { chart = this.#hash }: Pick<ActionCall, 'chart'> = {}): Perform | undefined {
    if (!Object.hasOwn(this.#named, name)) return chart === this.#hash ? this.#inline.get(name) : undefined;
    const known = this.#named[name];
    return typeof known === 'function' ? (known as Perform) : undefined;
  }

  /** A function that takes no arguments needs no context. */
  callOf(name: string, { params, info }: ChartAction): JsonObject & ActionCall {
    const call: JsonObject & ActionCall = {
      ...(params !== undefined && { params: plainJson(params, `the params of "${name}"`) }),
      ...(!Object.hasOwn(this.#named, name) && { chart: this.#hash }),
    };
    if (!info || !this.find(name)?.length) return call;
    const event = info.event as { type: string; at?: unknown; error?: unknown };
    const given = {
      context: plainJson(info.context, 'context'),
      event: plainJson(event, 'an event'),
      ...(typeof event.at === 'number' && { at: event.at }),
      ...(hasThrownObject(event) && { thrown: true as const }),
    };
    return JSON.stringify(given).length > maxGiven ? call : { ...call, given };
  }

  #index(node: AnyStateNode): void {
    const { id, entry, exit, transitions, always = [] } = node;
    this.#add(`${id}.entry`, entry);
    this.#add(`${id}.exit`, exit);
    if (node.type === 'compound') this.#add(`${id}.initial`, node.initial.actions);
    for (const [type, ways] of [...transitions, ['always', always] as const])
      for (const [i, { actions }] of ways.entries()) this.#add(`${id}.${type}[${i}].actions`, actions);
    for (const inner of Object.values(node.states)) this.#index(inner);
  }

  #add(place: string, actions: readonly unknown[]): void {
    for (const [i, action] of actions.entries()) {
      if (typeof action !== 'function' || 'resolve' in action) continue;
      const name = `${place}[${i}]`;
      // A function that is used in several places has one name.
      if (!this.#places.has(action)) this.#places.set(action, name);
      this.#inline.set(name, action as Perform);
    }
  }
}
