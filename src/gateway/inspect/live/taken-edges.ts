import { edgeIdOf } from '../../../engine/machine.ts';
import type { ChartState, ChartTransition, MachineDefinition } from '../../../protocol/views.ts';
import { allStates } from '../../../runtime/chart.ts';

/** Transient states on the way of one event. */
const maxSteps = 8;

/** A chart, looked up by the ids of its states. */
export interface ChartIndex {
  root: MachineDefinition;
  byId: ReadonlyMap<string, ChartState>;
}

export function indexOf(root: MachineDefinition): ChartIndex {
  return { root, byId: new Map(allStates(root.states).map((state) => [state.id, state])) };
}

/**
 * The edges that an actor most likely took: snapshots have the states before and after, but not the way between them.
 * These are the edges of the event that lead to the new states, if necessary by transitions without an event. Guards
 * cannot be evaluated here.
 *
 * @param from ids of the innermost states before, `to` those after
 */
export function takenEdges(
  chart: ChartIndex,
  event: string,
  from: readonly string[],
  to: readonly string[],
): string[] {
  const edges: string[] = [];
  for (const leaf of from) {
    const way = wayOf(chart, event, leaf, to);
    for (const edge of way) if (!edges.includes(edge)) edges.push(edge);
  }
  return edges;
}

/** The way from one state, by the event and then without one, to a state that holds one of `to`. */
function wayOf(chart: ChartIndex, event: string, leaf: string, to: readonly string[]): string[] {
  let reached = [{ at: leaf, way: [] as string[] }];
  const seen = new Set<string>();
  for (let step = 0; step < maxSteps && reached.length > 0; step++) {
    const next: typeof reached = [];
    for (const { at, way } of reached)
      for (const { source, transition } of transitionsAt(chart, at)) {
        if (!isFor(transition.event, step === 0 ? event : '')) continue;
        for (const target of transition.targets) {
          const edge = edgeIdOf(source, target);
          if (to.some((one) => one === target || one.startsWith(`${target}.`))) return [...way, edge];
          if (seen.has(edge)) continue;
          seen.add(edge);
          next.push({ at: entered(chart, target), way: [...way, edge] });
        }
      }
    reached = next;
  }
  return [];
}

/** The transitions of a state and of those around it, the innermost first. */
function transitionsAt(
  { root, byId }: ChartIndex,
  leaf: string,
): { source: string; transition: ChartTransition }[] {
  const all: { source: string; transition: ChartTransition }[] = [];
  for (let id = leaf; id !== ''; id = id.slice(0, Math.max(0, id.lastIndexOf('.'))))
    for (const transition of byId.get(id)?.transitions ?? []) all.push({ source: id, transition });
  for (const transition of root.transitions) all.push({ source: '', transition });
  return all;
}

function isFor(descriptor: string, event: string): boolean {
  if (event === '') return descriptor === '' || descriptor.startsWith('xstate.done.state.');
  if (descriptor === event || descriptor === '*') return true;
  return descriptor.endsWith('.*') && `${event}.`.startsWith(descriptor.slice(0, -1));
}

/** Entering a state also enters its initial state. */
function entered({ byId }: Pick<ChartIndex, 'byId'>, id: string): string {
  const initial = byId.get(id)?.initial ?? null;
  return initial === null ? id : entered({ byId }, initial);
}
