import { describe, expect, it } from 'vitest';
import type { CronDialect } from '../../../machines/job.types.ts';
import { timesBetween } from '../../../src/schedule/times/next-times.ts';
import { checkCron } from '../../../src/schedule/times/schedule.ts';
import { isoSeconds } from './vectors.ts';

/** The times of an expression in the hours around a change of the clock, as hours and minutes of UTC. */
function around(change: string, expression: string, dialect: CronDialect, timeZone: string): string[] {
  const at = Date.parse(change);
  const schedule = checkCron(expression, { dialect, timeZone });
  const times = timesBetween(schedule, { after: at - 2 * 3_600_000 - 1, until: at + 2 * 3_600_000 });
  return isoSeconds([...times]).map((time) => time.slice(11, 16));
}

describe('a local time that does not come (New York, 02:00 to 03:00, at 07:00 UTC)', () => {
  const times = (expression: string, dialect: CronDialect) =>
    around('2026-03-08T07:00:00Z', expression, dialect, 'America/New_York');

  it.each<[CronDialect, string, string[]]>([
    // One time a day: at the change.
    ['unix', '30 2 * * *', ['07:00']],
    ['unix', '15,30 2 * * *', []],
    ['unix', '*/30 1-3 * * *', ['06:00', '06:30', '07:00', '07:30']],
    ['quartz', '0 30 2 * * ?', []],
    ['quartz', '0 0/30 1-3 * * ?', ['06:00', '06:30', '07:00', '07:30']],
    ['robfig', '30 2 * * *', []],
  ])('%s %s', (dialect, expression, expected) => expect(times(expression, dialect)).toEqual(expected));
});

describe('a local time that comes twice (New York, 01:00 to 02:00, at 05:00 and 06:00 UTC)', () => {
  const times = (expression: string, dialect: CronDialect) =>
    around('2026-11-01T06:00:00Z', expression, dialect, 'America/New_York');

  it.each<[CronDialect, string, string[]]>([
    // One time a day: the first.
    ['unix', '30 1 * * *', ['05:30']],
    ['unix', '0,30 1 * * *', ['05:00', '05:30', '06:00', '06:30']],
    ['unix', '0 * * * *', ['04:00', '05:00', '06:00', '07:00', '08:00']],
    ['quartz', '0 30 1 * * ?', ['06:30']],
    ['quartz', '0 0 * * * ?', ['04:00', '06:00', '07:00', '08:00']],
    ['robfig', '30 1 * * *', ['05:30', '06:30']],
  ])('%s %s', (dialect, expression, expected) => expect(times(expression, dialect)).toEqual(expected));
});

describe('a clock that moves by half an hour (Lord Howe)', () => {
  it.each<[CronDialect, string, string[]]>([
    ['unix', '15 2 * * *', ['15:30']],
    ['quartz', '0 15 2 * * ?', []],
    ['quartz', '0 0/15 2 * * ?', ['15:30', '15:45']],
  ])('forward: %s %s', (dialect, expression, expected) =>
    expect(around('2026-10-03T15:30:00Z', expression, dialect, 'Australia/Lord_Howe')).toEqual(expected),
  );

  it.each<[CronDialect, string, string[]]>([
    ['unix', '45 1 * * *', ['14:45']],
    ['quartz', '0 45 1 * * ?', ['15:15']],
    ['robfig', '45 1 * * *', ['14:45', '15:15']],
  ])('back: %s %s', (dialect, expression, expected) =>
    expect(around('2026-04-04T15:00:00Z', expression, dialect, 'Australia/Lord_Howe')).toEqual(expected),
  );
});

it('leaves a day out that a place has jumped over (Apia had no 30 December 2011)', () => {
  const schedule = checkCron('0 12 * * *', { timeZone: 'Pacific/Apia' });
  const times = timesBetween(schedule, { after: Date.UTC(2011, 11, 29), until: Date.UTC(2011, 11, 31, 12) });
  expect(isoSeconds([...times])).toEqual(['2011-12-29T22:00:00Z', '2011-12-30T22:00:00Z']);
});
