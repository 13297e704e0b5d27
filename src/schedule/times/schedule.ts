import type { CronDialect, JobSchedule } from '../../../machines/job.types.ts';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import { readCron } from './check-cron.ts';
import { checkTimeZone, type Zones } from './zone.ts';

/** When a job is due: checked JSON, with all defaults filled in that its times depend on. */
export type Schedule = JobSchedule;
export type EverySchedule = Extract<Schedule, { kind: 'every' }>;

/** A schedule as people write it: one of `cron`, `every` and `at`. */
interface ScheduleInput {
  /** `0 9 * * 1-5`, `0 0 9 * * ?`, `@daily`. */
  readonly cron?: string | undefined;
  /** The rules of `cron`; else {@link dialectOf} decides. */
  readonly dialect?: CronDialect | undefined;
  /** The clock of `cron`: `Europe/Berlin`; else the one that is passed as default. */
  readonly timeZone?: string | undefined;
  /** `15m`, `1h30m`, or milliseconds. */
  readonly every?: string | number | undefined;
  /** `2026-12-24T18:00:00+01:00`, or milliseconds of UTC. */
  readonly at?: string | number | undefined;
}

interface ScheduleDefaults {
  readonly timeZone: string;
  /** What an interval counts from: mostly when its job was made. */
  readonly anchorMs: number;
  readonly zones?: Zones | undefined;
}

/**
 * Checks a schedule of a job.
 *
 * @throws DetentError `INVALID_CRON`, `UNKNOWN_TIME_ZONE`, `INVALID_SCHEDULE`.
 *
 * @example
 * ```ts
 * parseSchedule({ cron: '0 0 9 * * ?' }, { timeZone: 'Asia/Shanghai', anchorMs: now });
 * // { kind: 'cron', expression: '0 0 9 * * ?', dialect: 'quartz', timeZone: 'Asia/Shanghai' }
 * ```
 */
export function parseSchedule(input: ScheduleInput, defaults: ScheduleDefaults): Schedule {
  const { cron, every, at, dialect, timeZone } = input;
  const given = [cron, every, at].filter((value) => value !== undefined);
  if (given.length !== 1)
    throw invalidSchedule('a schedule is exactly one of "cron", "every" and "at" (--cron, --every, --at)');
  if (cron !== undefined)
    return checkCron(cron, { dialect, timeZone: timeZone ?? defaults.timeZone, zones: defaults.zones });
  if (dialect !== undefined || timeZone !== undefined)
    throw invalidSchedule(
      '"dialect" and "timeZone" belong to "cron"; "every" and "at" have no clock',
      'timeZone',
    );
  return every === undefined
    ? { kind: 'at', atMs: momentMs(at) }
    : { kind: 'every', everyMs: intervalMs(every), anchorMs: defaults.anchorMs };
}

/**
 * Checks a cron expression and its time zone.
 *
 * @throws DetentError `INVALID_CRON`: which field, why, and what to write; `UNKNOWN_TIME_ZONE`.
 */
export function checkCron(
  expression: string,
  {
    dialect,
    timeZone = 'UTC',
    zones,
  }: {
    dialect?: CronDialect | undefined;
    timeZone?: string | undefined;
    /** The zones that also compute the times, so that each zone is looked up once. */
    zones?: Zones | undefined;
  } = {},
): Extract<Schedule, { kind: 'cron' }> {
  const read = readCron(expression, dialect);
  return {
    kind: 'cron',
    expression: expression.trim().replace(/\s+/g, ' '),
    dialect: read.dialect,
    timeZone: zones === undefined ? checkTimeZone(timeZone) : zones(timeZone).name,
  };
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const minIntervalMs = 1_000;
const maxIntervalMs = 3_660 * 86_400_000;

function intervalMs(every: unknown): number {
  const ms = typeof every === 'string' ? writtenMs(every) : every;
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms < minIntervalMs || ms > maxIntervalMs)
    throw invalidSchedule(
      `"every" is a time from 1s to ten years, like "15m" or "1h30m", or milliseconds; not ${shown(every)}`,
      'every',
    );
  return ms;
}

/** A time span as people write it, like `15m` or `1h30m`, in milliseconds; NaN for any other text. */
export function writtenMs(text: string): number {
  if (!/^(?:\d{1,9}[smhdw])+$/.test(text)) return Number.NaN;
  const parts = text.matchAll(/(\d+)([smhdw])/g);
  return [...parts].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? Number.NaN),
    0,
  );
}

const isoMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

function momentMs(at: unknown): number {
  const ms = typeof at === 'string' ? (isoMoment.test(at) ? Date.parse(at) : Number.NaN) : at;
  if (typeof ms !== 'number' || Number.isNaN(new Date(ms).getTime()))
    throw invalidSchedule(
      `"at" is a time with its offset from UTC, like "2026-12-24T18:00:00+01:00"; not ${shown(at)}`,
      'at',
    );
  return ms;
}

function invalidSchedule(why: string, field?: string): DetentError {
  return new DetentError('INVALID_SCHEDULE', why, field === undefined ? {} : { details: { field } });
}
