import { type CronFields, firstYear, lastYear } from './cron-fields.ts';
import { daysIn } from './days.ts';
import type { Zone } from './zone.ts';

/** What a dialect does when clocks change. */
export interface ClockRules {
  /** Of a local time that comes twice. */
  readonly twice: 'first' | 'later' | 'both';
  /** Of a local time that does not come: nothing, or the moment of the change. */
  readonly never: 'skip' | 'atTheChange';
}

const hourMs = 3_600_000;
// Longer than any offset from UTC, and than any clock change except one across the date line.
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
      // A distant time is searched from there, unless the clock will be set back to times that it has had before.
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

const dayMs = 86_400_000;

/**
 * The first local time from `wallMs` on that an expression asks for: both are milliseconds as if the local time were UTC.
 * Null when there is none up to the last year that is computed.
 */
function nextWallTime(fields: CronFields, wallMs: number): number | null {
  const start = Math.max(wallMs, Date.UTC(firstYear, 0, 1));
  const dayStart = Math.floor(start / dayMs) * dayMs;
  const date = new Date(dayStart);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  if (isAsked(fields, year, month) && (daysIn(fields.days, year, month) & (1 << day)) !== 0) {
    const time = nextTimeOfDay(fields, Math.ceil((start - dayStart) / 1_000));
    if (time >= 0) return dayStart + time * 1_000;
  }
  const nextDay = nextDayAfter(fields, year, month, day);
  if (nextDay === null) return null;
  const { hours, minutes, seconds } = fields;
  return nextDay + (hours.first * 3_600 + minutes.first * 60 + seconds.first) * 1_000;
}

/** Whether an expression asks for a local time, to the second. */
function isAsked({ months, years }: CronFields, year: number, month: number): boolean {
  return year <= lastYear && (months & (1 << month)) !== 0 && (years === null || years.includes(year));
}

/** The start of the first day after this one, or null. */
function nextDayAfter(fields: CronFields, year: number, month: number, day: number): number | null {
  let [y, m, after] = [year, month, day];
  while (y <= lastYear) {
    if (fields.years !== null && !fields.years.includes(y)) {
      const following = fields.years.find((asked) => asked > y);
      if (following === undefined) return null;
      [y, m, after] = [following, 1, 0];
    }
    const days = (fields.months & (1 << m)) === 0 ? 0 : daysIn(fields.days, y, m) & (-2 << after);
    if (days !== 0) return Date.UTC(y, m - 1, lowestBit(days));
    after = 0;
    m++;
    if (m > 12) [y, m] = [y + 1, 1];
  }
  return null;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** Seconds from the start of a day; -1 when the day has no more. */
function nextTimeOfDay({ hours, minutes, seconds }: CronFields, secondOfDay: number): number {
  let hour = Math.floor(secondOfDay / 3_600);
  let minute = Math.floor((secondOfDay % 3_600) / 60);
  let second = seconds.from[secondOfDay % 60] ?? -1;
  if (hour > 23) return -1;
  if (hours.from[hour] !== hour) {
    hour = hours.from[hour] ?? -1;
    return hour < 0 ? -1 : hour * 3_600 + minutes.first * 60 + seconds.first;
  }
  if (minutes.from[minute] === minute && second >= 0) return hour * 3_600 + minute * 60 + second;
  minute = minutes.from[minutes.from[minute] === minute ? minute + 1 : minute] ?? -1;
  second = seconds.first;
  if (minute >= 0) return hour * 3_600 + minute * 60 + second;
  hour = hours.from[hour + 1] ?? -1;
  return hour < 0 ? -1 : hour * 3_600 + minutes.first * 60 + second;
}
