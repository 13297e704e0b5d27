import type { DaysOfMonth, DaysOfWeek } from './days.ts';
import type { CronFields } from './fields.ts';
import { dayNames, monthNames } from './read-field.ts';
import { joined, listed, runs, stepOf } from './word-lists.ts';

/** The days, months and years of an expression in words. No days stand for every day. */
export function dayWords({ days: { ofMonth, ofWeek }, months, years }: CronFields): {
  days: string | null;
  within: string[];
} {
  const named = [
    ...(ofMonth === null ? [] : monthDays(ofMonth)),
    ...(ofWeek === null ? [] : weekDays(ofWeek, ofMonth === null ? '' : 'on ')),
  ];
  const monthsAsked = bits(months, 1, 12);
  const monthName = (month: number) => capital(monthNames[month - 1]);
  return {
    days: named.length === 0 || named.includes(everyDay) ? null : joined(named, 'or'),
    within: [
      ...(monthsAsked.length === 12 ? [] : [`in ${joined(runs(monthsAsked, monthName))}`]),
      ...(years === null ? [] : [yearWords(years)]),
    ],
  };
}

const everyDay = 'every day';

function monthDays(field: DaysOfMonth): string[] {
  const days = bits(field.days, 1, 31);
  if (days.length === 31) return [everyDay];
  const fromLast = (offset: number) =>
    offset === 0
      ? 'the last day of the month'
      : `${offset} ${offset === 1 ? 'day' : 'days'} before the last day of the month`;
  return [
    ...(days.length === 0 ? [] : [`on ${listed('day', days)} of the month`]),
    ...field.beforeLast.map((offset) => (offset === 0 ? `on ${fromLast(0)}` : fromLast(offset))),
    ...field.weekdayNear.map((day) => `on the weekday nearest to day ${day} of the month`),
    ...field.weekdayNearBeforeLast.map((offset) =>
      offset === 0
        ? 'on the last weekday of the month'
        : `on the weekday nearest to ${offset} ${offset === 1 ? 'day' : 'days'} before the last day of the month`,
    ),
  ];
}

const ordinals = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

function weekDays(field: DaysOfWeek, prefix: string): string[] {
  const name = (day: number) => capital(dayNames[day % 7]);
  // From Monday on, as a week is read.
  const days = bits(field.days, 0, 6)
    .map((day) => (day === 0 ? 7 : day))
    .sort((a, b) => a - b);
  if (days.length === 7) return [everyDay];
  return [
    ...(days.length === 0 ? [] : [`${prefix}${joined(runs(days, name))}`]),
    ...bits(field.last, 0, 6).map((day) => `on the last ${name(day)} of the month`),
    ...field.nth.map(({ day, nth }) => `on the ${ordinals[nth]} ${name(day)} of the month`),
  ];
}

function yearWords(years: readonly number[]): string {
  const [first, last] = [years[0], years.at(-1)];
  const step = stepOf(years);
  if (step !== null && step > 1) return `every ${step} years from ${first} to ${last}`;
  return `in ${joined(runs(years, String))}`;
}

function bits(set: number, first: number, last: number): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value++) if ((set & (1 << value)) !== 0) values.push(value);
  return values;
}

function capital(name = ''): string {
  return name.charAt(0) + name.slice(1).toLowerCase();
}
