import type { ChartState, ChartTransition, MachineDefinition, RunTrace } from '#src/protocol/views.ts';
import { pathsAt, wayAt } from '../../data/run-trace.ts';
import { wordsOf } from '../../parts/chart/drawing.ts';
import type { ChartMarks } from '../../parts/chart/marks.ts';
import type { Figures } from './figures.ts';

/** The transitions between two states, by the id of their edge. */
type EdgeTransitions = ReadonlyMap<string, readonly ChartTransition[]>;

export function transitionsByEdge({ states, transitions }: MachineDefinition): EdgeTransitions {
  const edges = new Map<string, ChartTransition[]>();
  const add = (from: string, own: readonly ChartTransition[]) => {
    for (const transition of own)
      for (const to of transition.targets) {
        const edge = `${from}->${to}`;
        edges.set(edge, [...(edges.get(edge) ?? []), transition]);
      }
  };
  const addAll = (some: readonly ChartState[]) => {
    for (const state of some) {
      add(state.id, state.transitions);
      addAll(state.states);
    }
  };
  addAll(states);
  add('', transitions);
  return edges;
}

/** What the chart of a run shows after a transition. */
export function marksAt(trace: RunTrace, figures: Figures, edges: EdgeTransitions, seq: number): ChartMarks {
  const taken = figures.taken(seq);
  const labels = new Map<string, string>();
  for (const [edge, times] of taken) {
    const label = times > 0 ? labelOf(trace, edges.get(edge) ?? [], figures.lastTaken(edge, seq)) : null;
    if (label !== null) labels.set(edge, label);
  }
  return {
    lit: pathsAt(trace, seq),
    key: figures.keys[seq - 1] ?? 'idle',
    taken,
    last: wayAt(trace, seq)?.edges ?? [],
    labels,
    durations: figures.durations(seq),
  };
}

/** Which of the transitions of an edge the machine took: that of the event, or else the one whose guard held. */
function labelOf(trace: RunTrace, transitions: readonly ChartTransition[], seq: number): string | null {
  const type = trace.transitions[seq - 1]?.event.type;
  if (type !== undefined && transitions.some(({ event }) => event === type)) return type;
  const held = new Set(wayAt(trace, seq)?.guards.flatMap(({ guard, holds }) => (holds ? [guard] : [])));
  const silent = transitions.filter(({ event }) => event === '');
  const found =
    silent.find(({ guard }) => guard !== null && held.has(guard)) ??
    silent.find(({ guard }) => guard === null);
  return found === undefined ? null : wordsOf(found);
}
