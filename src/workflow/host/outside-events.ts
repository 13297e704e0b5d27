import type { AnyStateMachine } from 'xstate';
import { isReserved } from '../../protocol/enums.ts';
import { nodesOf } from '../check/written.ts';

function isPlain(type: string): boolean {
  return !isReserved(type) && !type.includes('*');
}

/** The event types that a chart names, and that may come from outside. */
export function eventsFrom({ events }: AnyStateMachine): string[] {
  return (events as string[]).filter(isPlain).sort();
}

/**
 * What people and programs may send to a chart: what it names, or a wildcard of it covers; and the two commands of every
 * workflow.
 */
export class OutsideEvents extends Set<string> {
  readonly #prefixes: readonly string[];

  constructor(chart: AnyStateMachine) {
    // Also those that do nothing, such as `submit: {}`: xstate does not count them among its events.
    const named = [...nodesOf(chart.root)].flatMap(({ transitions }) => [...transitions.keys()]);
    super([...named.filter(isPlain), 'run.cancel', 'tool.reconcile']);
    const wild = (chart.events as string[]).filter((type) => type.endsWith('*'));
    this.#prefixes = wild.map((type) => type.slice(0, -1));
  }

  override has(type: string): boolean {
    if (super.has(type)) return true;
    return !isReserved(type) && this.#prefixes.some((prefix) => `${type}.`.startsWith(prefix));
  }
}
