import type { DueTimer, RunRow } from '../store/rows.ts';
import { restore } from './decide.ts';
import type { MachineHost } from './machine-host.ts';

/**
 * Timers of one run, soonest first; those of the same millisecond in the order in which the chart's states name them, in
 * which a live actor would have set them. The rows alone would give the order of their ids.
 *
 * @throws DetentError `MIGRATION_NEEDED` for a row that the chart cannot read
 */
export function inChartOrder(timers: readonly DueTimer[], host: MachineHost, row: RunRow): DueTimer[] {
  const named = [...(host.timersOf?.(restore(host, row)).cleared ?? [])];
  // Others come last, in their old order.
  const place = new Map(named.map((id, i) => [id, i - named.length]));
  return timers.toSorted((a, b) => a.dueAt - b.dueAt || (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
}

/** Whether two of these timers, soonest first, are due at the same moment. */
export function hasTies(timers: readonly DueTimer[]): boolean {
  return timers.some(({ dueAt }, i) => timers[i - 1]?.dueAt === dueAt);
}
