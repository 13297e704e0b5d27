import { expect } from 'vitest';
import type { Detent } from '../../../src/index.ts';
import type { ChartState, ChartTransition, MachineDefinition } from '../../../src/protocol/views.ts';
import {
  applyChanges,
  type RunTrace,
  type TracedTransition,
  type TracedWay,
} from '../../../src/protocol/views.ts';
import { allStates, edgesOf } from '../../../src/runtime/chart/edges.ts';
import { shortHash } from '../../../src/text/ids.ts';

/** What holds for the trace of every run that this program can fold. */
export async function expectTrace(detent: Detent, runId: string): Promise<void> {
  const trace = await wholeTrace(detent, runId);
  const { machine, initial, spans } = trace;
  const transitions = whole(trace);
  expect(trace.agrees).toBe(transitions.length);
  expect(transitions.map(({ seq }) => seq)).toEqual(transitions.map((_, i) => i + 1));
  if (!initial.context) return;
  let { context } = initial;
  let before = initial.path;
  const byVersion = await detent.machine.get(machine.name, machine.version);
  for (const transition of transitions) {
    context = applyChanges(context, transition.changes);
    expect({ runId, seq: transition.seq, hash: shortHash(JSON.stringify(context)) }).toEqual({
      runId,
      seq: transition.seq,
      hash: transition.hash,
    });
    expect(transition.from).toEqual(before);
    before = transition.to;
  }
  // A workflow's chart takes other events than the log has: its facade translates them, and has tests of its own.
  const isChartOfLog = machine.known && !machine.name.startsWith('workflow:');
  // Those of an earlier version of the machine have its guards.
  if (!transitions.some(({ event }) => event.type === 'run.migrated') && isChartOfLog)
    for (const transition of transitions) expectChart(byVersion, transition);
  for (const { startedAt, endedAt } of spans) expect(endedAt ?? startedAt).toBeGreaterThanOrEqual(startedAt);
  if (trace.ended) expect(spans.filter(({ endedAt }) => endedAt === null)).toEqual([]);
}

/** A transition with the way that it took. */
export type WholeTransition = TracedTransition & TracedWay;

export function whole({ transitions, ways }: RunTrace): WholeTransition[] {
  return transitions.map((one) => ({ ...one, ...(ways[one.way] as TracedWay) }));
}

/** All of a run, page by page. */
export async function wholeTrace(detent: Detent, runId: string, limit = 7): Promise<RunTrace> {
  const first = await detent.runs.trace(runId, { limit });
  let { agrees, diverged } = first;
  const spans = new Map(first.spans.map((span) => [span.id, span]));
  for (let last = first.transitions.length; last < first.lastSeq; last = first.transitions.length) {
    const page = await detent.runs.trace(runId, { afterSeq: last, limit });
    ({ agrees, diverged } = page);
    expect(page.transitions.length).toBeGreaterThan(0);
    first.transitions.push(...page.transitions.filter(({ seq }) => seq <= first.lastSeq));
    Object.assign(first.ways, page.ways);
    for (const span of page.spans) spans.set(span.id, span);
  }
  return { ...first, agrees, ...(diverged && { diverged }), spans: [...spans.values()] };
}

/**
 * The machine, asked by hand: from the state before, the guards as they were answered select the edges that were taken, and
 * lead to the state after it. For machines with one active state.
 */
export function expectChart(definition: MachineDefinition, transition: WholeTransition): void {
  const { seq, event, from, to, edges, guards } = transition;
  if (typeof from !== 'string' || typeof to !== 'string' || event.type === 'run.migrated') return;
  const states = new Map(allStates(definition.states).map((state) => [state.id, state]));
  const left = [...guards];
  const taken: string[] = [];
  const select = (leaf: string, type: string): ChartTransition | null => {
    for (const { own } of aroundOf(definition, states, leaf))
      for (const one of own.filter(({ event: on }) => on === type)) {
        if (one.guard === null) return one;
        const asked = left.shift();
        expect({ seq, asked: asked?.guard }).toEqual({ seq, asked: one.guard });
        if (asked?.holds) return one;
      }
    return null;
  };
  const take = (leaf: string, one: ChartTransition): string => {
    const [goal] = one.targets;
    if (goal === undefined) return leaf;
    taken.push(`${one.id.slice(0, one.id.lastIndexOf('#'))}->${goal}`);
    return entered(states, goal);
  };
  let at = from;
  const first = select(at, event.type);
  expect({ seq, isTaken: first !== null }).toEqual({ seq, isTaken: true });
  if (first) at = take(at, first);
  for (let i = 0; i < 20 && states.get(at)?.type !== 'final'; i++) {
    const next = select(at, '');
    if (!next) break;
    at = take(at, next);
  }
  expect({ seq, edges, to, left }).toEqual({ seq, edges: taken, to: at, left: [] });
  const drawn = new Set(edgesOf(definition).map(({ id }) => id));
  expect(edges.filter((id) => !drawn.has(id))).toEqual([]);
}

/** The transitions of a state and of all around it, innermost first. */
function aroundOf(
  definition: MachineDefinition,
  states: ReadonlyMap<string, ChartState>,
  leaf: string,
): { own: ChartTransition[] }[] {
  const around: { own: ChartTransition[] }[] = [];
  for (let id = leaf; id !== ''; id = id.slice(0, Math.max(0, id.lastIndexOf('.'))))
    around.push({ own: states.get(id)?.transitions ?? [] });
  return [...around, { own: definition.transitions }];
}

function entered(states: ReadonlyMap<string, ChartState>, id: string): string {
  const initial = states.get(id)?.initial;
  return initial ? entered(states, initial) : id;
}
