import { edgeIdOf } from '../../engine/machine.ts';
import type { ChartEdge, ChartState, ChartTransition, MachineDefinition } from '../../protocol/views.ts';
import { duration } from '../../text/wording.ts';

/** The edges of a chart. Transitions that stay where they are have none. */
export function edgesOf({ states, transitions }: MachineDefinition): ChartEdge[] {
  const edges = new Map<string, ChartEdge & { words: Set<string> }>();
  for (const { id: from, transitions: own } of [...allStates(states), { id: '', transitions }])
    for (const transition of own)
      for (const to of transition.targets) {
        const id = edgeIdOf(from, to);
        const edge = edges.get(id) ?? { id, from, to, transitions: [], label: '', words: new Set<string>() };
        edge.transitions.push(transition.id);
        edge.words.add(edgeText(transition));
        edges.set(id, edge);
      }
  return [...edges.values()].map(({ words, ...edge }) => {
    const [first = '', ...others] = words;
    return { ...edge, label: others.length === 0 ? first : `${first} +${others.length}` };
  });
}

/** Every state, parents before the states inside of them. */
export function allStates(states: readonly ChartState[]): ChartState[] {
  return states.flatMap((state) => [state, ...allStates(state.states)]);
}

/**
 * The ids of the edges on the shortest way from the initial state to the first final one: what a reader follows first. Who
 * enters a state enters the one that it begins with, and a state takes the transitions of those around it.
 */
export function spineOf({ initial, states }: MachineDefinition, edges: readonly ChartEdge[]): Set<string> {
  const byId = new Map(allStates(states).map((state) => [state.id, state]));
  const entered = (id: string): string => {
    const inner = byId.get(id)?.initial;
    return inner ? entered(inner) : id;
  };
  const goal = allStates(states).find(({ type }) => type === 'final')?.id;
  if (initial === null || goal === undefined) return new Set();
  const start = entered(initial);
  const ways = new Map<string, string[]>([[start, []]]);
  for (const [at, way] of ways) {
    if (at === goal) return new Set(way);
    for (const { id, from, to } of edges)
      if ((at === from || at.startsWith(`${from}.`)) && !ways.has(entered(to)))
        ways.set(entered(to), [...way, id]);
  }
  return new Set();
}

function edgeText({ event, guard }: ChartTransition): string {
  if (event === '') return guard === null ? 'always' : `[${guard}]`;
  const [, kind, , id] = /^xstate\.(done|error)\.(actor|state)\.(?:.*\.)?(.+)$/.exec(event) ?? [];
  if (kind !== undefined) return `${id} ${kind === 'done' ? 'done' : 'failed'}`;
  const [, delay] = /^xstate\.after\.(.+?)\./.exec(event) ?? [];
  if (delay === undefined) return event;
  return `after ${/^\d+$/.test(delay) ? duration(Number(delay)) : delay}`;
}
