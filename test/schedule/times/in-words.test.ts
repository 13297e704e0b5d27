import { describe, expect, it } from 'vitest';
import type { CronDialect } from '../../../machines/job.types.ts';
import { inWords } from '../../../src/schedule/times/in-words.ts';
import { checkCron } from '../../../src/schedule/times/schedule.ts';

const words = (expression: string, dialect: CronDialect) =>
  inWords(checkCron(expression, { dialect, timeZone: 'Europe/Berlin' })).replace(' (Europe/Berlin)', '');

it('names the time zone', () => {
  expect(inWords(checkCron('0 9 * * 1-5', { timeZone: 'Asia/Shanghai' }))).toBe(
    'at 09:00, Monday to Friday (Asia/Shanghai)',
  );
});

describe('Quartz in words', () => {
  it.each([
    ['0 0 9 * * ?', 'at 09:00, every day'],
    ['0 0 9 ? * 2-6', 'at 09:00, Monday to Friday'],
    ['0 0 9 ? * 1', 'at 09:00, Sunday'],
    ['0 0 9 ? * 7', 'at 09:00, Saturday'],
    ['0 0 9 ? * L', 'at 09:00, Saturday'],
    ['0 0 9 ? * 1-7', 'at 09:00, every day'],
    ['0 0 9 ? * SAT-MON', 'at 09:00, Monday, Saturday and Sunday'],
    ['0 0 9 ? * 6L', 'at 09:00, on the last Friday of the month'],
    ['0 0 9 ? * FRIL', 'at 09:00, on the last Friday of the month'],
    ['0 0 9 ? * 6#3', 'at 09:00, on the third Friday of the month'],
    ['0 0 9 ? * 1#5', 'at 09:00, on the fifth Sunday of the month'],
    ['0 0 9 L * ?', 'at 09:00, on the last day of the month'],
    ['0 0 9 L-3 * ?', 'at 09:00, 3 days before the last day of the month'],
    ['0 0 9 LW * ?', 'at 09:00, on the last weekday of the month'],
    ['0 0 9 15W * ?', 'at 09:00, on the weekday nearest to day 15 of the month'],
    ['0 0 9 L-1W * ?', 'at 09:00, on the weekday nearest to 1 day before the last day of the month'],
    ['0 0 9 1,L * ?', 'at 09:00, on day 1 of the month or on the last day of the month'],
    ['0 0 0 1 1 ? 2030', 'at 00:00, on day 1 of the month, in January, in 2030'],
    ['0 10,44 14 ? 3 WED', 'at 14:10 and 14:44, Wednesday, in March'],
    ['15,45 0 0 * * ?', 'at 00:00:15 and 00:00:45, every day'],
    ['0/30 * * * * ?', 'every 30 seconds'],
    ['* * * * * ?', 'every second'],
    ['0 0/5 14,18 * * ?', 'every 5 minutes, in hours 14 and 18'],
    ['0 0 9 * * ? 2027-2029', 'at 09:00, every day, in 2027 to 2029'],
    ['0 0 9 * * ? 2027/10', 'at 09:00, every day, every 10 years from 2027 to 2197'],
    ['0 0 12 ? NOV-FEB MON', 'at 12:00, Monday, in January, February, November and December'],
  ])('%s: %s', (expression, expected) => expect(words(expression, 'quartz')).toBe(expected));
});

describe('unix in words', () => {
  it.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['@hourly', 'every hour'],
    ['@daily', 'at 00:00, every day'],
    ['0 0 * * 0', 'at 00:00, Sunday'],
    ['0 0 * * 7', 'at 00:00, Sunday'],
    ['0 9 * * 6,0', 'at 09:00, Saturday and Sunday'],
    ['0 0 13 * 5', 'at 00:00, on day 13 of the month or on Friday'],
    // Not every 25 minutes: the hour has no 75th.
    ['*/25 * * * *', 'at minutes 0, 25 and 50 of every hour'],
    ['30 9-17 * * 1-5', 'at minute 30 of hours 9 to 17, Monday to Friday'],
    ['0 9-17 * * 1-5', 'every hour from 09:00 to 17:00, Monday to Friday'],
    ['*/30 * * * *', 'every 30 minutes'],
    ['*/20 8,20 * * *', 'at 08:00, 08:20, 08:40, 20:00, 20:20 and 20:40, every day'],
    ['1-59/2 * * * *', 'at every 2nd minute from 1 to 59 of every hour'],
    ['0 0 */3 * *', 'at 00:00, on every 3rd day from 1 to 31 of the month'],
    ['0 12 * 6 *', 'at 12:00, every day, in June'],
    ['5 * * * * *', 'at second 5 of every minute'],
    ['*/2 * 8 * * *', 'every 2 seconds, in hour 8'],
  ])('%s: %s', (expression, expected) => expect(words(expression, 'unix')).toBe(expected));
});

it.each([
  [60_000, 'every minute'],
  [900_000, 'every 15 minutes'],
  [5_400_000, 'every 1 hour 30 minutes'],
])('%i ms: %s', (everyMs, expected) =>
  expect(inWords({ kind: 'every', everyMs, anchorMs: 0 })).toBe(expected),
);

it('says the moment of a schedule that is due once', () => {
  expect(inWords({ kind: 'at', atMs: Date.UTC(2026, 11, 24, 17) })).toBe('once, at 2026-12-24T17:00:00Z');
});
