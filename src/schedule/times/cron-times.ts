import { type CronFields, firstYear, lastYear } from './fields.ts';
import { nextWallTime } from './wall-clock.ts';
import type { Zone } from './zone.ts';

/** What a dialect does when clocks change. */
export interface ClockRules {
  /** Of a local time that comes twice. */
  readonly twice: 'first' | 'later' | 'both';
  /** Of a local time that does not come: nothing, or the moment of the change. */
  readonly never: 'skip' | 'atTheChange';
}

const hourMs = 3_600_000;
// More than any offset from UTC, and than any step of a clock but for those across the date line.
const nearMs = 26 * hourMs;

/** The first time after `afterMs`, in UTC; null when there is none up to the last year that is computed. */
export function nextTime(fields: CronFields, rules: ClockRules, zone: Zone, afterMs: number): number | null {
  const firstMs = Date.UTC(firstYear, 0, 1) - nearMs;
  let utcMs = Math.max((Math.floor(afterMs / 1_000) + 1) * 1_000, firstMs);
  const endMs = Date.UTC(lastYear + 1, 0, 1) + nearMs;
  while (utcMs < endMs) {
    const { offsetMs, change, untilMs } = zone.stretchAt(utcMs);
    if (rules.never === 'atTheChange' && change?.atMs === utcMs && isSkipped(fields, change, offsetMs))
      return utcMs;
    const wallMs = nextWallTime(fields, utcMs + offsetMs);
    if (wallMs === null || wallMs - offsetMs >= untilMs) {
      // What is far away is looked for there, unless the clock is about to be set back, to times that it had before.
      const isSetBack = zone.offsetAt(utcMs + nearMs) < offsetMs;
      if (wallMs === null && !isSetBack) return null;
      utcMs = wallMs === null || isSetBack ? untilMs : Math.max(untilMs, wallMs - 2 * nearMs);
      continue;
    }
    const foundMs = wallMs - offsetMs;
    if (counts(rules, zone, wallMs, foundMs)) return foundMs;
    utcMs = foundMs + 1_000;
  }
  return null;
}

/** Whether the clock leaps over a time that is asked for, on the day on which it stands then. */
function isSkipped(
  fields: CronFields,
  change: { readonly atMs: number; readonly fromOffsetMs: number },
  offsetMs: number,
): boolean {
  const [leftMs, reachedMs] = [change.atMs + change.fromOffsetMs, change.atMs + offsetMs];
  if (reachedMs <= leftMs) return false;
  const skippedMs = nextWallTime(fields, Math.max(leftMs, startOfDay(reachedMs)));
  return skippedMs !== null && skippedMs < reachedMs;
}

function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / (24 * hourMs)) * 24 * hourMs;
}

/** Whether the dialect takes this one, when the local time comes twice. */
function counts({ twice }: ClockRules, zone: Zone, wallMs: number, foundMs: number): boolean {
  if (twice === 'both') return true;
  const [before, after] = [zone.offsetAt(wallMs - nearMs), zone.offsetAt(wallMs + nearMs)];
  if (before <= after) return true;
  const [firstMs, laterMs] = [wallMs - before, wallMs - after];
  const comesTwice = zone.offsetAt(firstMs) === before && zone.offsetAt(laterMs) === after;
  return !comesTwice || foundMs === (twice === 'first' ? firstMs : laterMs);
}
