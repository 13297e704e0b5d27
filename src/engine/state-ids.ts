import type { AnyStateNode, StateValue } from 'xstate';

/** The id of a state: its dotted path, as in the log. Empty for the machine itself. */
export function stateIdOf({ path }: AnyStateNode): string {
  return path.join('.');
}

/** The id of all transitions from one state to another, by the ids of both. */
export function edgeIdOf(from: string, to: string): string {
  return `${from}->${to}`;
}

/** The ids of the innermost active states: one for each parallel region. */
export function leavesOf(value: StateValue, within = ''): string[] {
  if (typeof value === 'string') return [within + value];
  return Object.entries(value).flatMap(([key, inner = {}]) => {
    const isLeaf = typeof inner === 'object' && Object.keys(inner).length === 0;
    return isLeaf ? [within + key] : leavesOf(inner, `${within}${key}.`);
  });
}
