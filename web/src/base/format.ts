import { language, locale } from './language.ts';

/** Figures as people read them, in the language of the page. Times are the reader's own. */

/** `80 ms`, `1.48 s`, `2 m 09 s`, `6 h 23 m`, `3 d 4 h`. */
export function duration(ms: number): string {
  const unit = units();
  const two = (n: number) => String(n).padStart(2, '0');
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}${unit.ms}`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_950 ? 2 : 1)}${unit.s}`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}${unit.m} ${two(seconds % 60)}${unit.s}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}${unit.h} ${two(minutes % 60)}${unit.m}`;
  return `${Math.floor(hours / 24)}${unit.d} ${hours % 24}${unit.h}`;
}

/** With one unit, for small places: `80 ms`, `1.5 s`, `12 m`, `3.2 h`, `5 d`. */
export function shortDuration(ms: number): string {
  const { ms: milli, s, m, h, d } = units();
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}${milli}`;
  const sizes = [
    [1_000, s, 59_950],
    [60_000, m, 3_570_000],
    [3_600_000, h, 86_000_000],
    [86_400_000, d, Number.POSITIVE_INFINITY],
  ] as const;
  const [size, unit] = sizes.find(([, , below]) => ms < below) ?? sizes[3];
  const value = ms / size;
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

/** Time since a beginning, with so many digits behind its seconds: `0`, `12.5 s`, `3 m 05 s`. */
export function elapsed(ms: number, digits = 0): string {
  const { m, s } = units();
  if (ms === 0) return '0';
  if (ms < 60_000) return `${(ms / 1_000).toFixed(digits)}${s}`;
  if (digits === 0 || ms >= 3_600_000) return duration(ms);
  const seconds = ((ms % 60_000) / 1_000).toFixed(digits).padStart(digits + 3, '0');
  return `${Math.floor(ms / 60_000)}${m} ${seconds}${s}`;
}

function units() {
  if (language.value === 'zh-CN') return { ms: ' 毫秒', s: ' 秒', m: ' 分', h: ' 小时', d: ' 天' };
  return { ms: ' ms', s: ' s', m: ' m', h: ' h', d: ' d' };
}

/** A time in the language of the page, with what the form names of it. */
export function written(at: number, form: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale.value, { hourCycle: 'h23', ...form }).format(at);
}

/** A time of day, with seconds if asked. */
export function timeOfDay(at: number, withSeconds = false): string {
  return written(at, { ...clock, ...(withSeconds && { second: '2-digit' }) });
}

/** A day and a time of day: `22 Nov, 15:35`. */
export function dayAndTime(at: number, withSeconds = false): string {
  const form = { day: 'numeric', month: 'short', ...clock } as const;
  return written(at, { ...form, ...(withSeconds && { second: '2-digit' }) });
}

const clock = { hour: 'numeric', minute: '2-digit' } as const;

/** Whether a time is not that of a whole minute. */
export function hasSeconds(at: number): boolean {
  return Math.floor(at / 1_000) % 60 !== 0;
}

/** `15:35` of today, `Fri` of this week, `3 Nov` of this year, else with the year. */
export function shortTime(at: number, now = Date.now()): string {
  const days = daysUntil(at, now);
  return days === 0 ? timeOfDay(at) : dayName(at, now, days < 0 && days > -7);
}

/** How many days lie between now and a time, on the reader's calendar. */
export function daysUntil(at: number, now: number): number {
  return Math.round((startOfDay(at) - startOfDay(now)) / 86_400_000);
}

/** A day: `Fri` if it is near, else `3 Nov`, with the year if it is of another one. */
export function dayName(at: number, now: number, isNear: boolean): string {
  if (isNear) return written(at, { weekday: 'short' });
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return written(at, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) });
}

/** The name of the clock of whoever reads the page: `Europe/Berlin`. */
export function readersTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function count(n: number): string {
  return n.toLocaleString(language.value);
}

/** Dollars with four digits behind the point below one: most answers cost less than a cent. */
export function money(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return '–';
  return `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 1 ? 4 : 2)}`;
}

export function bytes(n: number): string {
  if (n < 1_024) return `${n} B`;
  if (n < 1_048_576) return `${(n / 1_024).toFixed(1)} KiB`;
  return `${(n / 1_048_576).toFixed(1)} MiB`;
}

/** The beginning and the end of an id: `run_4aqg…8ycz`. */
export function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

/** Midnight, on the reader's calendar. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
