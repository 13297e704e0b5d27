import { keyOfPath, type StateKey } from '../../parts/states.ts';

/** A run came into a state that looks otherwise than the one before. */
export interface Visit {
  /** The transition that led there. */
  seq: number;
  state: StateKey;
  path: string;
}

/** The lesson that explains a state. A state without an explanation of its own passes at once. */
const lessons: Partial<Record<StateKey, number>> = {
  idle: 1,
  think: 1,
  back: 1,
  tool: 2,
  ask: 2,
  rec: 6,
  comp: 4,
  done: 6,
  fail: 1,
  cancel: 6,
};

export type ExplainedState = Exclude<StateKey, 'hold' | 'decide'>;

export function isExplained(state: StateKey): state is ExplainedState {
  return state in lessons;
}

export function lessonOf(state: ExplainedState): number {
  return lessons[state] ?? 1;
}

/** Adds what a transition led to; the same list if that looks the same. */
export function visited(visits: readonly Visit[], seq: number, path: string): readonly Visit[] {
  const state = keyOfPath(path);
  const last = visits.at(-1);
  if (!isExplained(state) || last?.state === state || (last && seq < last.seq)) return visits;
  return [...visits, { seq, state, path }];
}

/** The visit to explain after the one at `index`: the next state that is new to the reader, or else the newest one. */
export function nextVisit(visits: readonly Visit[], index: number): number {
  const known = new Set(visits.slice(0, index + 1).map(({ state }) => state));
  const fresh = visits.findIndex(({ state }, i) => i > index && !known.has(state));
  return fresh < 0 ? visits.length - 1 : fresh;
}

/** The last visit up to a transition. */
export function visitAt(visits: readonly Visit[], seq: number): number {
  return Math.max(
    0,
    visits.findLastIndex((visit) => visit.seq <= seq),
  );
}

/** One visit of each state, in the order in which they came first. */
export function firstVisits(visits: readonly Visit[]): readonly Visit[] {
  return visits.filter(({ state }, i) => visits.findIndex((one) => one.state === state) === i);
}

/** The name of a visited state: `thinking`, also while it requests. */
export function nameOf({ path, state }: Visit): string {
  const names = path.replace(/^active\.(working\.)?/, '').split('.');
  return (state === 'back' ? names.at(-1) : names[0]) ?? path;
}
