import type { DayPart, NumberList, Run, ScheduleParts, SpanUnit, TimePart } from '../../protocol/methods.ts';
import { readCron } from './check-cron.ts';
import type { CronFields, Values } from './cron-fields.ts';
import type { DayRule, DaysOfMonth, DaysOfWeek } from './days.ts';
import type { Schedule } from './schedule.ts';

/** What a schedule means, in parts; null for a single moment. */
export function partsOf(schedule: Schedule): ScheduleParts | null {
  if (schedule.kind === 'at') return null;
  if (schedule.kind === 'every')
    return { time: { kind: 'span', span: spanOf(schedule.everyMs) }, days: [], months: [], years: null };
  const { fields } = readCron(schedule.expression, schedule.dialect);
  const months = bits(fields.months, 1, 12);
  return {
    time: timeOf(fields),
    days: daysOf(fields.days),
    months: months.length === 12 ? [] : runsOf(months),
    years: fields.years && numberList(fields.years, 1),
  };
}

const units: ReadonlyArray<readonly [ms: number, unit: SpanUnit]> = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
  [1, 'millisecond'],
];

function spanOf(everyMs: number): Array<[number, SpanUnit]> {
  let left = everyMs;
  return units.flatMap(([ms, unit]) => {
    const count = Math.floor(left / ms);
    left -= count * ms;
    return count > 0 ? [[count, unit] satisfies [number, SpanUnit]] : [];
  });
}

const maxTimes = 6;
const maxListed = 6;
const minRun = 3;

function timeOf(fields: CronFields): TimePart {
  const [seconds, minutes, hours] = [fields.seconds, fields.minutes, fields.hours].map(valuesIn) as Three;
  if (seconds.length * minutes.length * hours.length <= maxTimes)
    return { kind: 'at', times: times(hours, minutes, seconds) };
  const isOnTheMinute = seconds.length === 1 && seconds[0] === 0;
  if (isOnTheMinute && minutes.length === 1 && minutes[0] === 0) return fullHours(hours);
  const [unit, values] = isOnTheMinute ? (['minute', minutes] as const) : (['second', seconds] as const);
  const every = stepThroughout(values);
  return {
    kind: 'within',
    unit,
    at: every === null ? numberList(values) : { every },
    minutes: isOnTheMinute || minutes.length === 60 ? null : numberList(minutes),
    hours: hours.length === 24 ? null : numberList(hours),
  };
}

type Three = [number[], number[], number[]];

function times(hours: readonly number[], minutes: readonly number[], seconds: readonly number[]): string[] {
  const two = (value: number) => String(value).padStart(2, '0');
  const hasSeconds = seconds.some((second) => second !== 0);
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map((second) => `${two(hour)}:${two(minute)}${hasSeconds ? `:${two(second)}` : ''}`),
    ),
  );
}

function fullHours(hours: readonly number[]): TimePart {
  const step = stepOf(hours);
  const all = times(hours, [0], [0]);
  const [first = '', last = ''] = [all[0], all.at(-1)];
  if (step === null) return { kind: 'at', times: all };
  const isWhole = hours[0] === 0 && 24 % step === 0 && hours.length === 24 / step;
  if (!isWhole) return { kind: 'hours', step, from: first, to: last };
  return { kind: 'hours', step, from: step === 1 ? null : first, to: null };
}

/** The distance of values that are equally far apart through all 60; null for others. */
function stepThroughout(values: readonly number[]): number | null {
  const step = values.length === 2 ? (values[1] ?? 0) : stepOf(values);
  return step !== null && values[0] === 0 && values.length * step === 60 ? step : null;
}

function daysOf({ ofMonth, ofWeek }: DayRule): DayPart[] {
  const isEveryDay =
    (ofMonth !== null && bits(ofMonth.days, 1, 31).length === 31) ||
    (ofWeek !== null && bits(ofWeek.days, 0, 6).length === 7);
  return isEveryDay ? [] : [...(ofMonth ? monthDays(ofMonth) : []), ...(ofWeek ? weekDays(ofWeek) : [])];
}

function monthDays(field: DaysOfMonth): DayPart[] {
  const days = bits(field.days, 1, 31);
  return [
    ...(days.length === 0 ? [] : [{ kind: 'days', days: numberList(days) } as const]),
    ...field.beforeLast.map((count) => ({ kind: 'beforeLast', count }) as const),
    ...field.weekdayNear.map((day) => ({ kind: 'nearDay', day }) as const),
    ...field.weekdayNearBeforeLast.map((count) => ({ kind: 'nearBeforeLast', count }) as const),
  ];
}

function weekDays(field: DaysOfWeek): DayPart[] {
  // From Monday on, as a week is read.
  const fromMonday = (day: number) => (day % 7 === 0 ? 7 : day % 7);
  const days = bits(field.days, 0, 6)
    .map(fromMonday)
    .sort((a, b) => a - b);
  return [
    ...(days.length === 0 ? [] : [{ kind: 'weekdays', days: runsOf(days) } as const]),
    ...bits(field.last, 0, 6).map((day) => ({ kind: 'nth', nth: 'last', day: fromMonday(day) }) as const),
    ...field.nth.map(({ day, nth }) => ({ kind: 'nth', nth: nth as 1, day: fromMonday(day) }) as const),
  ];
}

/** Many values in equal distances by their distance, others one after the other. */
function numberList(values: readonly number[], max = maxListed): NumberList {
  const step = stepOf(values);
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  return step !== null && step > 1 && values.length > max ? { step, first, last } : { runs: runsOf(values) };
}

/** Each value, and three or more in a row as one. */
function runsOf(values: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (let start = 0; start < values.length; ) {
    let end = start;
    while (values[end + 1] === (values[end] ?? 0) + 1) end++;
    const run = values.slice(start, end + 1);
    if (run.length < minRun) runs.push(...run.map((value): Run => [value, value]));
    else runs.push([run[0] ?? 0, run.at(-1) ?? 0]);
    start = end + 1;
  }
  return runs;
}

/** The distance between all values, if they have the same; null for fewer than three. */
function stepOf(values: readonly number[]): number | null {
  const [first = 0, second = 0] = values;
  const step = second - first;
  const isEven = values.every((value, index) => value === first + index * step);
  return values.length >= minRun && isEven ? step : null;
}

function valuesIn({ from }: Values): number[] {
  return [...from.keys()].filter((value) => from[value] === value);
}

function bits(set: number, first: number, last: number): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value++) if ((set & (1 << value)) !== 0) values.push(value);
  return values;
}
