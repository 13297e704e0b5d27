import type { CronDialect } from '../../../machines/job.types.ts';

/*
 * A second, slow reading of Quartz and robfig expressions, which shares nothing with the first: it asks Intl for the local
 * time of every minute, and the text of the expression whether that time fits.
 */

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The local times of a zone, minute by minute: of each moment its local time, of each local time its moments. */
export interface Walked {
  readonly minutes: readonly { readonly at: number; readonly wall: number }[];
  readonly moments: ReadonlyMap<number, readonly number[]>;
}

/** Walks through some days, and a day before and after them, for times that come twice. */
export function walk(timeZone: string, from: number, days: number): Walked {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const minutes: { at: number; wall: number }[] = [];
  const moments = new Map<number, number[]>();
  for (let at = from - dayMs; at < from + (days + 1) * dayMs; at += minuteMs) {
    const wall = Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
    minutes.push({ at, wall });
    moments.set(wall, [...(moments.get(wall) ?? []), at]);
  }
  return { minutes, moments };
}

/** The moments after one and up to another at which an expression of whole minutes is due. */
export function walkedTimes(
  expression: string,
  dialect: Exclude<CronDialect, 'unix'>,
  { minutes, moments }: Walked,
  after: number,
  until: number,
): number[] {
  const fits = dialect === 'quartz' ? quartzFits : robfigFits;
  const due = minutes.filter(({ at, wall }) => at > after && at <= until && fits(expression, new Date(wall)));
  const last = ({ at, wall }: { at: number; wall: number }) => moments.get(wall)?.at(-1) === at;
  return (dialect === 'quartz' ? due.filter(last) : due).map(({ at }) => at);
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

function quartzFits(expression: string, wall: Date): boolean {
  const [second = '', minute = '', hour = '', date = '', month = '', day = ''] = expression
    .toUpperCase()
    .split(' ');
  return (
    fitsTime(second, minute, hour, month, wall) &&
    (date === '?' || date.split(',').some((item) => fitsDate(item, wall))) &&
    (day === '?' || day.split(',').some((item) => fitsDay(item, wall)))
  );
}

function robfigFits(expression: string, wall: Date): boolean {
  const [second = '', minute = '', hour = '', date = '', month = '', day = ''] = expression
    .toUpperCase()
    .split(' ');
  const isStar = (text: string) => text === '*' || text === '?';
  const byDate = fits(date, wall.getUTCDate(), 1, 31, []);
  const byDay = fits(day, wall.getUTCDay(), 0, 6, days);
  const either = isStar(date) || isStar(day) ? byDate && byDay : byDate || byDay;
  return fitsTime(second, minute, hour, month, wall) && either;
}

function fitsTime(second: string, minute: string, hour: string, month: string, wall: Date): boolean {
  return (
    fits(second, wall.getUTCSeconds(), 0, 59, []) &&
    fits(minute, wall.getUTCMinutes(), 0, 59, []) &&
    fits(hour, wall.getUTCHours(), 0, 23, []) &&
    fits(month, wall.getUTCMonth() + 1, 1, 12, months)
  );
}

/** A range may go on over the end: distances are counted forwards from its start. */
function fits(field: string, value: number, min: number, max: number, names: readonly string[]): boolean {
  const size = max - min + 1;
  const numberOf = (text: string) => (names.includes(text) ? names.indexOf(text) + min : Number(text));
  return field.split(',').some((item) => {
    const [base = '', step] = item.split('/');
    const isAll = base === '*' || base === '?' || base === '';
    const [first = '', last] = isAll ? [String(min), String(max)] : base.split('-');
    const end = last ?? (step === undefined ? first : String(max));
    const reach = (numberOf(end) - numberOf(first) + size) % size;
    const distance = (value - numberOf(first) + size) % size;
    return distance <= reach && distance % Number(step ?? 1) === 0;
  });
}

function fitsDate(item: string, wall: Date): boolean {
  const [year, month, date] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const marked = /^(?:L(?:-(\d+))?|(\d+))(W?)$/.exec(item);
  if (marked === null || /^\d+$/.test(item)) return fits(item, date, 1, 31, []);
  const wanted = item.startsWith('L') ? last - Number(marked[1] ?? 0) : Number(marked[2]);
  if (wanted < 1 || wanted > last) return false;
  if (marked[3] !== 'W') return date === wanted;
  // The working day of this month with the smallest distance.
  const working = Array.from({ length: last }, (_, index) => index + 1).filter((candidate) => {
    const day = new Date(Date.UTC(year, month, candidate)).getUTCDay();
    return day >= 1 && day <= 5;
  });
  const [nearest] = working.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  return date === nearest;
}

function fitsDay(item: string, wall: Date): boolean {
  const day = wall.getUTCDay() + 1;
  const numberOf = (text: string) => (days.includes(text) ? days.indexOf(text) + 1 : Number(text));
  if (item === 'L') return day === 7;
  if (item.endsWith('L')) {
    const aWeekLater = new Date(wall.getTime() + 7 * dayMs);
    return day === numberOf(item.slice(0, -1)) && aWeekLater.getUTCMonth() !== wall.getUTCMonth();
  }
  if (item.includes('#')) {
    const [named = '', nth] = item.split('#');
    return day === numberOf(named) && Math.ceil(wall.getUTCDate() / 7) === Number(nth);
  }
  return fits(item, day, 1, 7, days);
}
