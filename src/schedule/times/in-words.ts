import type { DayPart, NumberList, Run, ScheduleParts, TimePart } from '../../protocol/methods.ts';
import { counted } from '../../text/wording.ts';
import { dayNames, monthNames } from './read-field.ts';
import type { Schedule } from './schedule.ts';
import { partsOf } from './schedule-parts.ts';

/** A schedule in English, with its time zone: `at 09:00, Monday to Friday (Europe/Berlin)`. */
export function inWords(schedule: Schedule): string {
  if (schedule.kind === 'at')
    return `once, at ${new Date(schedule.atMs).toISOString().replace('.000Z', 'Z')}`;
  const parts = partsOf(schedule);
  const words = parts ? inEnglish(parts) : '';
  return schedule.kind === 'cron' ? `${words} (${schedule.timeZone})` : words;
}

function inEnglish({ time, days, months, years }: ScheduleParts): string {
  const areOfMonth = days.some(({ kind }) => kind !== 'weekdays' && kind !== 'nth');
  const named = days.map((day) => dayWords(day, areOfMonth ? 'on ' : ''));
  // "every 5 minutes" needs no "every day", "at 09:00" does.
  const everyDay = time.kind === 'at' ? ['every day'] : [];
  return [
    timeWords(time),
    ...(named.length === 0 ? everyDay : [joined(named, 'or')]),
    ...(months.length === 0 ? [] : [`in ${runWords(months, (month) => capital(monthNames[month - 1]))}`]),
    ...(years === null ? [] : [yearWords(years)]),
  ].join(', ');
}

function timeWords(time: TimePart): string {
  switch (time.kind) {
    case 'span': {
      const [[count, unit] = [], ...more] = time.span;
      if (count === 1 && more.length === 0) return `every ${unit}`;
      return `every ${time.span.map(([n, one]) => counted(n, one ?? '')).join(' ')}`;
    }
    case 'at':
      return `at ${joined(time.times)}`;
    case 'hours': {
      const from = time.from === null ? '' : ` from ${time.from}`;
      return `every ${repeated(time.step, 'hour')}${from}${time.to === null ? '' : ` to ${time.to}`}`;
    }
    case 'within': {
      const { unit, at, minutes, hours } = time;
      const [ofMinutes, ofHours] = [
        minutes && numbersText('minute', minutes),
        hours && numbersText('hour', hours),
      ];
      const within = [...(ofMinutes ? [`in ${ofMinutes}`] : []), ...(ofHours ? [`in ${ofHours}`] : [])];
      if ('every' in at) return [`every ${repeated(at.every, unit)}`, ...within].join(', ');
      if (unit === 'minute') return `at ${numbersText(unit, at)} of ${ofHours ?? 'every hour'}`;
      return [`at ${numbersText(unit, at)} of every minute`, ...within].join(', ');
    }
  }
}

const ordinals = { 1: 'first', 2: 'second', 3: 'third', 4: 'fourth', 5: 'fifth', last: 'last' } as const;
const dayName = (day: number) => capital(dayNames[day % 7]);

function dayWords(day: DayPart, prefix: string): string {
  switch (day.kind) {
    case 'weekdays':
      return `${prefix}${runWords(day.days, dayName)}`;
    case 'days':
      return `on ${numbersText('day', day.days)} of the month`;
    case 'beforeLast':
      return day.count === 0 ? 'on the last day of the month' : beforeLast(day.count);
    case 'nearDay':
      return `on the weekday nearest to day ${day.day} of the month`;
    case 'nearBeforeLast':
      return day.count === 0
        ? 'on the last weekday of the month'
        : `on the weekday nearest to ${beforeLast(day.count)}`;
    case 'nth':
      return `on the ${ordinals[day.nth]} ${dayName(day.day)} of the month`;
  }
}

function beforeLast(count: number): string {
  return `${counted(count, 'day')} before the last day of the month`;
}

function yearWords(years: NumberList): string {
  return 'runs' in years
    ? `in ${runWords(years.runs, String)}`
    : `every ${years.step} years from ${years.first} to ${years.last}`;
}

/** `minutes 1, 5 and 7`; `every 2nd minute from 1 to 59`. */
function numbersText(unit: string, list: NumberList): string {
  if (!('runs' in list)) return `every ${nth(list.step)} ${unit} from ${list.first} to ${list.last}`;
  const [[first, last] = [0, 0], ...more] = list.runs;
  return `${unit}${first === last && more.length === 0 ? '' : 's'} ${runWords(list.runs, String)}`;
}

function runWords(runs: readonly Run[], word: (value: number) => string): string {
  return joined(
    runs.map(([first, last]) => (first === last ? word(first) : `${word(first)} to ${word(last)}`)),
  );
}

/** `a`, `a and b`, `a, b and c`. */
function joined(words: readonly string[], last = 'and'): string {
  const final = words.at(-1) ?? '';
  return words.length < 2 ? final : `${words.slice(0, -1).join(', ')} ${last} ${final}`;
}

function repeated(step: number, unit: string): string {
  return step === 1 ? unit : `${step} ${unit}s`;
}

function nth(count: number): string {
  const ending = count % 10 > 3 || (count > 10 && count < 14) ? 'th' : ['th', 'st', 'nd', 'rd'][count % 10];
  return `${count}${ending}`;
}

function capital(name = ''): string {
  return name.charAt(0) + name.slice(1).toLowerCase();
}
