import type { CronDialect, JobContext } from '../../../machines/job.types.ts';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import { readCron } from './check-cron.ts';
import type { CronFields } from './cron-fields.ts';
import { type ClockRules, nextTime } from './cron-times.ts';
import { checkCron, type EverySchedule, type Schedule } from './schedule.ts';
import { createZones, type Zones } from './zone.ts';

/** The times of one schedule. */
interface Timetable {
  /** The first time after this one, in milliseconds of UTC; null when there is none up to the end of the year 2199. */
  next(afterMs: number): number | null;
}

/**
 * Reads a schedule once, for many questions.
 *
 * @param zones pass the same to all schedules: it keeps what was learned of each time zone.
 * @throws DetentError `INVALID_CRON`, `UNKNOWN_TIME_ZONE`.
 */
export function timetableOf(schedule: Schedule, zones: Zones = createZones()): Timetable {
  switch (schedule.kind) {
    case 'at':
      return { next: (afterMs) => (schedule.atMs > afterMs ? schedule.atMs : null) };
    case 'every':
      return { next: (afterMs) => nextOfInterval(schedule, afterMs) };
    case 'cron': {
      const { dialect, fields } = readCron(schedule.expression, schedule.dialect);
      const rules = rulesOf(dialect, fields);
      const zone = zones(schedule.timeZone);
      return { next: (afterMs) => nextTime(fields, rules, zone, afterMs) };
    }
  }
}

interface NextTimesOptions {
  /** Times after this one. */
  readonly from: Date | number;
  /** At most so many. */
  readonly count: number;
  /** No time after this one. */
  readonly until?: Date | number | undefined;
  readonly zones?: Zones | undefined;
}

export interface CronOptions extends NextTimesOptions {
  readonly dialect?: CronDialect | undefined;
  /** Default: `UTC`. */
  readonly timeZone?: string | undefined;
}

/**
 * The next times of a schedule or cron expression, in milliseconds of UTC: fewer than asked for when there are no more up to
 * the end of the year 2199.
 *
 * @throws DetentError `INVALID_CRON`, `UNKNOWN_TIME_ZONE`.
 *
 * @example
 * ```ts
 * nextTimes('0 0 9 ? * MON#1', { timeZone: 'Europe/Berlin', from: Date.now(), count: 3 });
 * ```
 */
export function nextTimes(expression: string, options: CronOptions): number[];
export function nextTimes(schedule: Schedule, options: NextTimesOptions): number[];
export function nextTimes(schedule: Schedule | string, options: CronOptions): number[] {
  const asked = typeof schedule === 'string' ? checkCron(schedule, options) : schedule;
  const { from, count, until = Number.POSITIVE_INFINITY, zones } = options;
  return [...timesBetween(asked, { after: from, until, limit: count, zones })];
}

/** When the next slot of a job begins, also where no process has computed it yet; infinity for one that has no other time. */
export function nextSlotAt(
  { next, cursor, definition }: Pick<JobContext, 'next' | 'cursor' | 'definition'>,
  zones?: Zones,
): number {
  if (next === 'none') return Number.POSITIVE_INFINITY;
  if (next !== null) return next.at;
  const [first] = nextTimes(definition.schedule, { from: cursor, count: 1, zones });
  return first ?? Number.POSITIVE_INFINITY;
}

/**
 * The times of a schedule after one moment and up to another, one by one: only the times that the caller takes are
 * computed.
 *
 * @param limit at most so many.
 */
export function* timesBetween(
  schedule: Schedule,
  {
    after,
    until,
    limit = Number.POSITIVE_INFINITY,
    zones,
  }: {
    readonly after: Date | number;
    readonly until: Date | number;
    readonly limit?: number | undefined;
    readonly zones?: Zones | undefined;
  },
): Generator<number, void, undefined> {
  const timetable = timetableOf(schedule, zones);
  if (!Number.isFinite(Number(after)))
    throw new DetentError('INVALID_SCHEDULE', `times are computed after a moment, not after ${shown(after)}`);
  let at = timetable.next(Number(after));
  for (let count = 0; count < limit && at !== null && at <= Number(until); count++) {
    yield at;
    at = timetable.next(at);
  }
}

function nextOfInterval({ everyMs, anchorMs }: EverySchedule, afterMs: number): number | null {
  if (afterMs < anchorMs) return anchorMs;
  const next = anchorMs + (Math.floor((afterMs - anchorMs) / everyMs) + 1) * everyMs;
  return Number.isNaN(new Date(next).getTime()) ? null : next;
}

/** What each dialect does when clocks change; the table is in docs/schedule.md. */
function rulesOf(dialect: CronDialect, { isOneTimeADay }: CronFields): ClockRules {
  if (dialect === 'quartz') return { twice: 'later', never: 'skip' };
  if (dialect === 'unix' && isOneTimeADay) return { twice: 'first', never: 'atTheChange' };
  return { twice: 'both', never: 'skip' };
}
