import { dayName, daysUntil, hasSeconds, readersTimeZone, startOfDay, timeOfDay } from '../../base/format.ts';
import { language } from '../../base/language.ts';
import { t } from './words.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** How far off a time is: `in 42 s`, `in 24 min`, `in 2 h 24 min`, `in 7 days`. */
export function away(at: number, now: number): string {
  const ms = at - now;
  if (ms <= 0) return t.now;
  if (ms < minute) return t.inSeconds(Math.ceil(ms / 1_000));
  const minutes = Math.round(ms / minute);
  if (minutes < 60) return t.inMinutes(minutes);
  if (ms < day) return t.inHours(Math.floor(minutes / 60), minutes % 60);
  return t.inDays(Math.round(ms / day));
}

/** A time to come on the reader's clock: `today 18:00`, `tomorrow 8:00`, `Mon 6:00`, `29 Nov 15:35`. */
export function dayTime(at: number, now: number): string {
  return `${dayWord(at, now)} ${clock(at)}`;
}

/**
 * The times behind the first one, as short as they can be said: `Mon, Tue 18:00` where the time of day is the same, `16:30, 17:00`
 * on the day of the first one.
 */
export function laterTimes(times: readonly number[], now: number): string | null {
  const [first, ...later] = times;
  if (first === undefined || later.length === 0) return null;
  if (later.every((at) => startOfDay(at) === startOfDay(first))) return listed(later.map(clock));
  const isDaily = later.every((at) => clock(at) === clock(first));
  if (isDaily) return `${listed(later.map((at) => dayWord(at, now)))} ${clock(first)}`;
  return listed(later.map((at) => dayTime(at, now)));
}

/** `Berlin, UTC+1`: the clock of whoever reads the page. */
export function readersZone(now: number): string {
  const timeZone = readersTimeZone();
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' }).formatToParts(now);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC') ?? '';
  const city = timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? timeZone;
  return city === offset || city === 'UTC'
    ? city
    : `${city}${language.value === 'en' ? ', ' : '，'}${offset}`;
}

function dayWord(at: number, now: number): string {
  const days = daysUntil(at, now);
  if (days === 0) return t.today;
  if (days === 1) return t.tomorrow;
  return dayName(at, now, days > 1 && days < 7);
}

/** Seconds only where there are some: `18:00`, `18:00:30`. */
function clock(at: number): string {
  return timeOfDay(at, hasSeconds(at));
}

function listed(words: readonly string[]): string {
  return words.join(language.value === 'en' ? ', ' : '、');
}

/** A time span as the gateway reads it: `90s`, `1h30m`, `1d`. */
export function writtenSpan(ms: number): string {
  const units = [
    ['d', day],
    ['h', hour],
    ['m', minute],
    ['s', 1_000],
  ] as const;
  if (ms === 0) return '0s';
  if (ms % 1_000 !== 0) return String(ms);
  let left = ms;
  return units
    .map(([unit, size]) => {
      const n = Math.floor(left / size);
      left -= n * size;
      return n === 0 ? '' : `${n}${unit}`;
    })
    .join('');
}
