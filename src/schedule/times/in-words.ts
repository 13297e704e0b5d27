import { readCron } from './check-cron.ts';
import { dayWords } from './day-words.ts';
import type { CronFields, Values } from './fields.ts';
import type { Schedule } from './schedule.ts';
import { joined, listed, stepOf } from './word-lists.ts';

/**
 * A schedule in English, with its time zone: `at 09:00, Monday to Friday (Europe/Berlin)`. It is written from the times that
 * the expression means, not from its text, so each dialect counts its days of the week in its own way.
 */
export function inWords(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'at':
      return `once, at ${new Date(schedule.atMs).toISOString().replace('.000Z', 'Z')}`;
    case 'every':
      return `every ${interval(schedule.everyMs)}`;
    case 'cron': {
      const { fields } = readCron(schedule.expression, schedule.dialect);
      const { days, within } = dayWords(fields);
      const time = timeWords(fields);
      // "every 5 minutes" needs no "every day", "at 09:00" does.
      const everyDay = time.startsWith('every ') || time.includes(' of ') ? [] : ['every day'];
      const words = [time, ...(days === null ? everyDay : [days]), ...within];
      return `${words.join(', ')} (${schedule.timeZone})`;
    }
  }
}

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
  [1, 'millisecond'],
] as const;

function interval(everyMs: number): string {
  const [exact] = units.filter(([ms]) => everyMs % ms === 0);
  if (exact !== undefined && everyMs === exact[0]) return exact[1];
  let left = everyMs;
  const parts: string[] = [];
  for (const [ms, name] of units) {
    const count = Math.floor(left / ms);
    left -= count * ms;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  return parts.join(' ');
}

const maxTimes = 6;

function timeWords(fields: CronFields): string {
  const [seconds, minutes, hours] = [listOf(fields.seconds), listOf(fields.minutes), listOf(fields.hours)];
  if (seconds.length * minutes.length * hours.length <= maxTimes)
    return `at ${joined(times(hours, minutes, seconds))}`;
  const isOnTheMinute = seconds.length === 1 && seconds[0] === 0;
  if (isOnTheMinute && minutes.length === 1 && minutes[0] === 0) return fullHours(hours);
  const everyHour = hours.length === 24;
  if (isOnTheMinute) {
    const ofHours = everyHour ? 'every hour' : listed('hour', hours);
    return (
      repeated(minutes, 'minute', everyHour ? '' : `, in ${ofHours}`) ??
      `at ${listed('minute', minutes)} of ${ofHours}`
    );
  }
  return [
    repeated(seconds, 'second', '') ?? `at ${listed('second', seconds)} of every minute`,
    ...(minutes.length === 60 ? [] : [`in ${listed('minute', minutes)}`]),
    ...(everyHour ? [] : [`in ${listed('hour', hours)}`]),
  ].join(', ');
}

function times(hours: readonly number[], minutes: readonly number[], seconds: readonly number[]): string[] {
  const two = (value: number) => String(value).padStart(2, '0');
  const hasSeconds = seconds.some((second) => second !== 0);
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map((second) => `${two(hour)}:${two(minute)}${hasSeconds ? `:${two(second)}` : ''}`),
    ),
  );
}

function fullHours(hours: readonly number[]): string {
  const step = stepOf(hours);
  const [first = 0] = hours;
  const last = hours.at(-1) ?? 0;
  const isWhole = step !== null && first === 0 && 24 % step === 0 && hours.length === 24 / step;
  if (isWhole) return `every ${step === 1 ? 'hour' : `${step} hours from 00:00`}`;
  return step === null
    ? `at ${joined(times(hours, [0], [0]))}`
    : `every ${step === 1 ? 'hour' : `${step} hours`} from ${times([first], [0], [0])} to ${times([last], [0], [0])}`;
}

/** `every 10 minutes`, and `rest`; null for values that are not in equal distances through all 60. */
function repeated(values: readonly number[], unit: string, rest: string): string | null {
  const step = values.length === 2 ? (values[1] ?? 0) : stepOf(values);
  const isWhole = step !== null && values[0] === 0 && values.length * step === 60;
  return isWhole ? `every ${step === 1 ? unit : `${step} ${unit}s`}${rest}` : null;
}

function listOf({ from }: Values): number[] {
  return [...from.keys()].filter((value) => from[value] === value);
}
