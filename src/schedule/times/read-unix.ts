import type { CronDialect } from '../../../machines/job.types.ts';
import { bitsOf, type CronFields, valuesOf } from './cron-fields.ts';
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

const seconds: FieldRules = { name: 'seconds', min: 0, max: 59 };
const minutes: FieldRules = { name: 'minutes', min: 0, max: 59 };
const hours: FieldRules = { name: 'hours', min: 0, max: 23 };
const daysOfMonth: FieldRules = { name: 'days of the month', min: 1, max: 31 };
const months: FieldRules = { name: 'months', min: 1, max: 12, names: monthNames, firstNamed: 1 };
// 7 is Sunday, too, but not for robfig.
const daysOfWeek: FieldRules = { name: 'days of the week', min: 0, max: 7, stepsTo: 6, names: dayNames };
const robfigDaysOfWeek: FieldRules = { name: 'days of the week', min: 0, max: 6, names: dayNames };

const nicknames: Readonly<Record<string, string>> = {
  '@YEARLY': '0 0 1 1 *',
  '@ANNUALLY': '0 0 1 1 *',
  '@MONTHLY': '0 0 1 * *',
  '@WEEKLY': '0 0 * * 0',
  '@DAILY': '0 0 * * *',
  '@MIDNIGHT': '0 0 * * *',
  '@HOURLY': '0 * * * *',
};

/**
 * Reads an expression of five fields, of six with seconds first, or `@daily` and the like, by the rules of crontab
 * (`unix`) or of robfig/cron. `L`, `W` and `#` are read as croner reads them, for `unix` alone.
 */
export function readUnix(
  texts: readonly string[],
  dialect: Exclude<CronDialect, 'quartz'>,
  fail: Fail,
): CronFields {
  const [first = ''] = texts;
  if (first.startsWith('@')) {
    const meant = nicknames[first.toUpperCase()];
    if (/^@every$/i.test(first))
      fail('"@every" is not a clock time: write the schedule as "every", like "15m"');
    if (meant === undefined || texts.length > 1)
      fail(`"${texts.join(' ')}" is not one of ${Object.keys(nicknames).join(', ').toLowerCase()}`);
    return readUnix(meant.split(' '), dialect, fail);
  }
  if (texts.length === 7) fail('it has 7 fields, the last a year: that is Quartz; name the dialect "quartz"');
  if (texts.length !== 5 && texts.length !== 6)
    fail(
      `it has ${texts.length === 1 ? '1 field' : `${texts.length} fields`}: 5 are needed, or 6 with seconds first`,
    );
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = (
    texts.length === 5 ? ['0', ...texts] : texts
  ).map((text) => (text === '?' ? '*' : text));
  const mayMark = dialect === 'unix';
  return {
    seconds: valuesOf(valuesIn(second, seconds, fail), 60),
    minutes: valuesOf(valuesIn(minute, minutes, fail), 60),
    hours: valuesOf(valuesIn(hour, hours, fail), 24),
    months: bitsOf(valuesIn(month, months, fail)),
    years: null,
    days: {
      ofMonth: dayOfMonth === '*' ? null : readDaysOfMonth(dayOfMonth, mayMark, fail),
      ofWeek: dayOfWeek === '*' ? null : readDaysOfWeek(dayOfWeek, dialect, fail),
    },
    isOneTimeADay: [second, minute, hour].every((text) => /^\d+$/.test(text)),
  };
}

function valuesIn(field: string, rules: FieldRules, fail: Fail): number[] {
  return entriesOf(field, rules, fail).flatMap((entry) => readEntry(entry, rules, fail));
}

function readDaysOfMonth(field: string, mayMark: boolean, fail: Fail): DaysOfMonth {
  let found: DaysOfMonth = noDaysOfMonth;
  for (const entry of entriesOf(field, daysOfMonth, fail)) {
    const near = /^(\d{1,2})W$/.exec(entry);
    if (mayMark && entry === 'L') found = { ...found, beforeLast: [0] };
    else if (mayMark && entry === 'LW') found = { ...found, weekdayNearBeforeLast: [0] };
    else if (mayMark && near)
      found = {
        ...found,
        weekdayNear: [...found.weekdayNear, readValue(near[1] ?? '', entry, daysOfMonth, fail)],
      };
    else found = { ...found, days: found.days | bitsOf(readEntry(entry, daysOfMonth, fail)) };
  }
  return found;
}

function readDaysOfWeek(field: string, dialect: CronDialect, fail: Fail): DaysOfWeek {
  if (dialect === 'robfig')
    return { days: bitsOf(valuesIn(field, robfigDaysOfWeek, fail)), last: 0, nth: [] };
  let found: DaysOfWeek = { days: 0, last: 0, nth: [] };
  for (const entry of entriesOf(field, daysOfWeek, fail)) {
    const nth = /^(\w+)#([1-5])$/.exec(entry);
    const last = /^(\w+?)#?L$/.exec(entry);
    const dayOf = (text: string) => readValue(text, entry, daysOfWeek, fail) % 7;
    if (nth) found = { ...found, nth: [...found.nth, { day: dayOf(nth[1] ?? ''), nth: Number(nth[2]) }] };
    else if (last) found = { ...found, last: found.last | (1 << dayOf(last[1] ?? '')) };
    else found = { ...found, days: found.days | bitsOf(weekDays(entry, fail)) };
  }
  return found;
}

/** `MON-SUN` ends with the Sunday at the end of the week. */
function weekDays(entry: string, fail: Fail): number[] {
  return readEntry(entry.replace(/-SUN(?=\/|$)/, '-7'), daysOfWeek, fail).map((day) => day % 7);
}
