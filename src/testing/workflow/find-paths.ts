import type { AnyMachineSnapshot, AnyStateMachine, AnyTransitionDefinition } from 'xstate';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { refuseImpure } from '../../workflow/check.ts';
import { type ShortestPath, shortestPaths } from '../shortest-paths.ts';
import { type Happening, wordsOf } from './happening.ts';
import { type Plain, PlainChart, timerOf } from './plain-chart.ts';
import type { Script } from './samples.ts';
import { plainStanding } from './standing.ts';

/** When each path begins; the same for all, so that times in contexts are alike. */
export const pathStart = Date.UTC(2026, 0, 1);

export interface FoundPath {
  happenings: readonly Happening[];
  /** The transitions that it takes. */
  took: ReadonlySet<AnyTransitionDefinition>;
}

interface Found {
  paths: FoundPath[];
  /** False when the search ended before it had tried everything. */
  isWhole: boolean;
}

/**
 * The paths of a chart that take everything that may happen in each of its states, the shortest ones. A path that another one
 * begins with is left out.
 *
 * @throws DetentError `INVALID_WORKFLOW` when a move depends on the clock or random numbers; `CHART_THREW` when the chart throws, as a guard does that reads what a sample has not.
 */
export function findPaths(chart: AnyStateMachine, { input, script, key, maxMoves }: FindOptions): Found {
  const plain = PlainChart.watched(chart);
  const start = trying(chart, 'at the start', chart.id, () => plain.begin(input, pathStart));
  const { paths, isWhole } = shortestPaths<Plain, Happening>(
    start,
    {
      key: (node) => configurationKey(node, key),
      moves: (node) => script.happenings(node),
      moveKey: (happening) => JSON.stringify(happening),
      take(node, happening) {
        const due = happening.kind === 'timer' ? timerOf(node, happening.type)?.dueAt : undefined;
        const at = Math.max(node.at, due ?? 0);
        const where = `on "${wordsOf(happening)}" in ${JSON.stringify(node.snapshot.value)}`;
        const state = [chart.id, ...leafOf(node.snapshot)].join('.');
        return trying(chart, where, state, () => plain.take(node, happening, at));
      },
    },
    maxMoves,
  );
  if (paths.length === 0) return { paths: [{ happenings: [], took: start.took }], isWhole };
  const leadOn = new Set(paths.map(({ from }) => from));
  const last = ({ isFirst, to }: ShortestPath<Plain, Happening>) => !isFirst || !leadOn.has(to);
  return {
    paths: paths.filter(last).map(({ moves, end }) => ({ happenings: moves, took: end.took })),
    isWhole,
  };
}

interface FindOptions {
  input: unknown;
  script: Script;
  /** What tells two contexts apart. */
  key(snapshot: AnyMachineSnapshot): string;
  maxMoves: number;
}

/** So many of the paths, those first that take a transition which none before them takes; then some of all lengths. */
export function chosenPaths(paths: readonly FoundPath[], max: number): FoundPath[] {
  if (paths.length <= max) return [...paths];
  const taken = new Set<AnyTransitionDefinition>();
  const chosen = new Set<FoundPath>();
  for (const path of paths) {
    if ([...path.took].every((transition) => taken.has(transition))) continue;
    for (const transition of path.took) taken.add(transition);
    chosen.add(path);
  }
  const others = paths.filter((path) => !chosen.has(path));
  const step = Math.max(1, others.length / Math.max(1, max - chosen.size));
  for (let i = 0; chosen.size < max && Math.floor(i) < others.length; i += step)
    chosen.add(others[Math.floor(i)] as FoundPath);
  return [...chosen];
}

function configurationKey(
  { snapshot, open, timers }: Plain,
  key: (snapshot: AnyMachineSnapshot) => string,
): string {
  const history = Object.entries(snapshot.historyValue).map(([id, nodes]) => [
    id,
    nodes.map((node) => node.id),
  ]);
  return JSON.stringify([
    snapshot.status,
    snapshot.value,
    history,
    [...open.keys()].sort(),
    timers.map(({ event }) => event.type).sort(),
    key(snapshot),
  ]);
}

/** The path of the state that a chart is in, the first one of a parallel state. */
function leafOf({ _nodes }: AnyMachineSnapshot): readonly string[] {
  return _nodes.find(({ type }) => type === 'atomic' || type === 'final')?.path ?? [];
}

function trying<T extends Plain | null>(
  chart: AnyStateMachine,
  when: string,
  state: string,
  act: () => T,
): T {
  try {
    return refuseImpure(chart, { state, when }, act, (moved) => moved && plainStanding(moved));
  } catch (error) {
    if (DetentError.is(error)) throw error;
    const { id } = chart;
    throw new DetentError(
      'CHART_THREW',
      `chart "${id}" throws ${when}: ${messageOf(error)}; does a sample lack what the chart reads?`,
      { cause: error, details: { id } },
    );
  }
}
