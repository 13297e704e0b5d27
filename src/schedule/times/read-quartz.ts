import { bitsOf, type CronFields, firstYear, lastYear, valuesOf } from './cron-fields.ts';
import { type DaysOfMonth, type DaysOfWeek, noDaysOfMonth } from './days.ts';
import {
  dayNames,
  entriesOf,
  type Fail,
  type FieldRules,
  monthNames,
  readEntry,
  readValue,
} from './read-field.ts';

const common = { mayWrap: true, mayLackStart: true, hasLongNames: true };
const seconds: FieldRules = { ...common, name: 'seconds', min: 0, max: 59 };
const minutes: FieldRules = { ...common, name: 'minutes', min: 0, max: 59 };
const hours: FieldRules = { ...common, name: 'hours', min: 0, max: 23 };
const daysOfMonth: FieldRules = { ...common, name: 'days of the month', min: 1, max: 31 };
const months: FieldRules = { ...common, name: 'months', min: 1, max: 12, names: monthNames, firstNamed: 1 };
const daysOfWeek: FieldRules = {
  ...common,
  name: 'days of the week',
  min: 1,
  max: 7,
  names: dayNames,
  firstNamed: 1,
};
const years: FieldRules = { ...common, isEndless: true, name: 'years', min: firstYear, max: lastYear };

const maxBeforeLast = 30;

/** Reads an expression of six or seven fields, seconds first, by the rules of Quartz. */
export function readQuartz(texts: readonly string[], fail: Fail): CronFields {
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] =
    texts;
  if (texts.length > 7) fail(`it has too many fields: ${texts.length} instead of 6 or 7`);
  if (texts.length === 5)
    fail(`it has 5 fields, and Quartz has 6 or 7, with seconds first: write ${quoted(withSeconds(texts))}`);
  if (texts.length < 6)
    fail(`it ends too early: ${texts.length} fields instead of 6 or 7, with seconds first`);
  for (const [text, { name }] of [
    [second, seconds],
    [minute, minutes],
    [hour, hours],
    [month, months],
    [year, years],
  ] as const)
    if (text.includes('?')) fail(`"?" is for days of the month or days of the week; write "*" in ${name}`);
  if (dayOfMonth === '?' && dayOfWeek === '?')
    fail('"?" is for days of the month or days of the week, not for both: write "*" in one of them');
  if (dayOfMonth !== '?' && dayOfWeek !== '?')
    fail(
      `days of the month "${dayOfMonth}" and days of the week "${dayOfWeek}" cannot both be given: write "?" in one of them`,
    );
  return {
    seconds: valuesOf(valuesIn(second, seconds, fail), 60),
    minutes: valuesOf(valuesIn(minute, minutes, fail), 60),
    hours: valuesOf(valuesIn(hour, hours, fail), 24),
    months: bitsOf(valuesIn(month, months, fail)),
    years: year === '*' ? null : [...new Set(valuesIn(year, years, fail))].sort((a, b) => a - b),
    days: {
      ofMonth: dayOfMonth === '?' ? null : readDaysOfMonth(dayOfMonth, fail),
      ofWeek: dayOfWeek === '?' ? null : readDaysOfWeek(dayOfWeek, fail),
    },
    isOneTimeADay: false,
  };
}

function quoted(text: string): string {
  return `"${text}"`;
}

/** What a person most likely means who wrote five fields. */
function withSeconds([minute, hour, dayOfMonth, month, dayOfWeek]: readonly string[]): string {
  const bothGiven = dayOfMonth !== '?' && dayOfWeek !== '?';
  const days =
    bothGiven && dayOfWeek === '*'
      ? [dayOfMonth, month, '?']
      : bothGiven && dayOfMonth === '*'
        ? ['?', month, dayOfWeek]
        : [dayOfMonth, month, dayOfWeek];
  return ['0', minute, hour, ...days].join(' ');
}

function valuesIn(field: string, rules: FieldRules, fail: Fail): number[] {
  return entriesOf(field, rules, fail).flatMap((entry) => {
    if (/[A-Z].*\//.test(entry))
      fail(`${rules.name} "${entry}": Quartz ignores a step behind a name; write numbers, as in "2-6/2"`);
    return readEntry(entry, rules, fail);
  });
}

function readDaysOfMonth(field: string, fail: Fail): DaysOfMonth {
  let found: DaysOfMonth = noDaysOfMonth;
  for (const entry of entriesOf(field, daysOfMonth, fail)) found = withDay(found, entry, fail);
  return found;
}

function withDay(found: DaysOfMonth, entry: string, fail: Fail): DaysOfMonth {
  const fromLast = /^L(?:-(\d{1,4}))?(W?)$/.exec(entry);
  if (fromLast) {
    const offset = Number(fromLast[1] ?? 0);
    if (offset > maxBeforeLast)
      fail(`${daysOfMonth.name} "${entry}": the offset from the last day is at most ${maxBeforeLast}`);
    return fromLast[2] === 'W'
      ? { ...found, weekdayNearBeforeLast: [...found.weekdayNearBeforeLast, offset] }
      : { ...found, beforeLast: [...found.beforeLast, offset] };
  }
  const near = /^(\d{1,4})W$/.exec(entry);
  if (near) {
    const day = readValue(near[1] ?? '', entry, daysOfMonth, fail);
    return { ...found, weekdayNear: [...found.weekdayNear, day] };
  }
  if (/[LW#]/.test(entry))
    fail(
      `${daysOfMonth.name} "${entry}": write "L", "L-3", "LW" or "15W"; "#" and "6L" are for days of the week`,
    );
  return { ...found, days: found.days | bitsOf(readEntry(entry, daysOfMonth, fail)) };
}

function readDaysOfWeek(field: string, fail: Fail): DaysOfWeek {
  const entries = entriesOf(field, daysOfWeek, fail);
  const [only = ''] = entries;
  if (only === 'L' && entries.length === 1) return { days: 1 << 6, last: 0, nth: [] };
  const last = /^(\d{1,4}|[A-Z]+)L$/.exec(only);
  const nth = /^([^#]+)#(.*)$/.exec(only);
  const isMarked = entries.some((entry) => entry === 'L' || /^\w+L$/.test(entry) || entry.includes('#'));
  if (isMarked && entries.length > 1)
    fail(`${daysOfWeek.name} "${field}": "L" and "#" stand alone, not in a list with other days of the week`);
  if (nth) {
    if (!/^[1-5]$/.test(nth[2] ?? ''))
      fail(`${daysOfWeek.name} "${only}": a number between 1 and 5 must follow "#"`);
    return {
      days: 0,
      last: 0,
      nth: [{ day: readValue(nth[1] ?? '', only, daysOfWeek, fail) - 1, nth: Number(nth[2]) }],
    };
  }
  if (last) return { days: 0, last: 1 << (readValue(last[1] ?? '', only, daysOfWeek, fail) - 1), nth: [] };
  return { days: bitsOf(valuesIn(field, daysOfWeek, fail).map((day) => day - 1)), last: 0, nth: [] };
}
