import type { RunTrace, TracedSpan, TraceLane } from '#src/protocol/views.ts';
import type { StateKey } from '../../../parts/states.ts';

/** A lane of the timeline and where it is. */
export interface Lane {
  name: TraceLane | 'state';
  top: number;
  rowHeight: number;
  rows: number;
}

/** In which row of its lane a span is: spans of one lane may overlap. */
export type Rows = ReadonlyMap<number, number>;

const gap = 7;
const mostRows = 3;
const usual: readonly TraceLane[] = ['model', 'tools', 'people'];

/** Gives each span a row in which no other is at that time, if there is one. */
export function rowsOf(spans: readonly TracedSpan[]): Rows {
  const ends = new Map<TraceLane, number[]>();
  const rows = new Map<number, number>();
  for (const { id, lane, startedAt, endedAt } of spans) {
    const taken = ends.get(lane) ?? [];
    ends.set(lane, taken);
    const free = taken.findIndex((end) => end <= startedAt);
    const row = free >= 0 ? free : Math.min(taken.length, mostRows - 1);
    taken[row] = Math.max(taken[row] ?? 0, endedAt ?? Number.POSITIVE_INFINITY);
    rows.set(id, row);
  }
  return rows;
}

/** The lanes of a run, from `top` on: the usual ones of an agent's run, of other machines those in which anything happens. */
export function lanesOf({ machine, spans }: RunTrace, rows: Rows, top: number): Lane[] {
  const used = new Map<TraceLane, number>();
  for (const { id, lane } of spans) used.set(lane, Math.max(used.get(lane) ?? 0, (rows.get(id) ?? 0) + 1));
  const lanes: Lane[] = [{ name: 'state', top, rowHeight: 13, rows: 1 }];
  for (const name of [...usual, 'host'] as const) {
    const count = used.get(name) ?? (machine.name === 'run' && name !== 'host' ? 1 : 0);
    if (count === 0) continue;
    lanes.push({ name, top: bottomOf(lanes) + gap, rowHeight: count > 1 ? 18 : 22, rows: count });
  }
  return lanes;
}

export function bottomOf(lanes: readonly Lane[]): number {
  const last = lanes.at(-1);
  return last ? last.top + last.rows * last.rowHeight : 0;
}

/** What a span looks like: as the state that it belongs to. */
export function keyOfSpan({ lane, kind, step }: TracedSpan): StateKey {
  if (lane === 'people') return kind === 'reconcile' ? 'rec' : 'ask';
  if (lane === 'model') return step === undefined ? 'comp' : 'think';
  return lane === 'tools' ? 'tool' : 'idle';
}

/** What is written on a span. */
export function wordsOfSpan({ lane, label, failed, attempt }: TracedSpan): string {
  const asked = lane === 'people' && !/[?？]$/.test(label) ? `${label}?` : label;
  const again = attempt > 1 ? `${asked} (${attempt})` : asked;
  return failed === undefined ? again : `${again}: ${failed}`;
}
