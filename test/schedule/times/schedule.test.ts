import { describe, expect, it } from 'vitest';
import { nextTimes, timesBetween } from '../../../src/schedule/times/next-times.ts';
import { parseSchedule } from '../../../src/schedule/times/schedule.ts';
import { isoSeconds } from './vectors.ts';

type ScheduleInput = Parameters<typeof parseSchedule>[0];

const anchorMs = Date.parse('2026-11-23T08:00:00Z');
const parsed = (input: ScheduleInput) => parseSchedule(input, { timeZone: 'Asia/Shanghai', anchorMs });

describe('a schedule as people write it', () => {
  it.each<[ScheduleInput, object]>([
    [
      { cron: '0 0 9 * * ?' },
      { kind: 'cron', expression: '0 0 9 * * ?', dialect: 'quartz', timeZone: 'Asia/Shanghai' },
    ],
    [
      { cron: ' 0  9 * * 1-5 ', timeZone: 'europe/berlin' },
      { kind: 'cron', expression: '0 9 * * 1-5', dialect: 'unix', timeZone: 'Europe/Berlin' },
    ],
    [{ every: '1h30m' }, { kind: 'every', everyMs: 5_400_000, anchorMs }],
    [{ every: 60_000 }, { kind: 'every', everyMs: 60_000, anchorMs }],
    [{ at: '2026-12-24T18:00:00+01:00' }, { kind: 'at', atMs: Date.UTC(2026, 11, 24, 17) }],
  ])('%j', (input, schedule) => expect(parsed(input)).toEqual(schedule));

  it.each<[ScheduleInput, code: string, part: string]>([
    [{}, 'INVALID_SCHEDULE', 'exactly one of "cron", "every" and "at"'],
    [{ cron: '@daily', every: '1h' }, 'INVALID_SCHEDULE', 'one of'],
    [{ every: '1h', timeZone: 'UTC' }, 'INVALID_SCHEDULE', 'belong to "cron"'],
    [{ every: '0s' }, 'INVALID_SCHEDULE', 'from 1s'],
    [{ every: 'soon' }, 'INVALID_SCHEDULE', '"soon"'],
    [{ every: 1.5e3 + 0.5 }, 'INVALID_SCHEDULE', '1500.5'],
    [{ at: '2026-12-24T18:00:00' }, 'INVALID_SCHEDULE', 'offset from UTC'],
    [{ at: 'tomorrow' }, 'INVALID_SCHEDULE', 'tomorrow'],
    [{ cron: '@daily', timeZone: 'Europe/Berlim' }, 'UNKNOWN_TIME_ZONE', 'did you mean "Europe/Berlin"?'],
    [{ cron: '@daily', timeZone: 'Berlin' }, 'UNKNOWN_TIME_ZONE', 'did you mean "Europe/Berlin"?'],
    [{ cron: '@daily', timeZone: '+02:00' }, 'UNKNOWN_TIME_ZONE', 'write a name'],
  ])('refuses %j', (input, code, part) => {
    expect(() => parsed(input)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(part) }),
    );
  });
});

describe('the times of a schedule', () => {
  it('of an interval count from its start, through any change of clocks', () => {
    const schedule = parsed({ every: '1h30m' });
    expect(isoSeconds(nextTimes(schedule, { from: 0, count: 2 }))).toEqual([
      '2026-11-23T08:00:00Z',
      '2026-11-23T09:30:00Z',
    ]);
    expect(isoSeconds(nextTimes(schedule, { from: anchorMs + 1, count: 1 }))).toEqual([
      '2026-11-23T09:30:00Z',
    ]);
    expect(isoSeconds(nextTimes(schedule, { from: anchorMs, count: 1 }))).toEqual(['2026-11-23T09:30:00Z']);
  });

  it('of one moment are that moment, and none afterwards', () => {
    const schedule = parsed({ at: anchorMs });
    expect(nextTimes(schedule, { from: anchorMs - 1, count: 5 })).toEqual([anchorMs]);
    expect(nextTimes(schedule, { from: anchorMs, count: 5 })).toEqual([]);
  });

  it('cannot be computed after no moment at all', () => {
    expect(() => nextTimes('* * * * *', { from: new Date('tomorrow'), count: 1 })).toThrow(
      expect.objectContaining({ code: 'INVALID_SCHEDULE' }),
    );
  });

  it('end at `until`, which is included', () => {
    const until = anchorMs + 120_000;
    expect(nextTimes('* * * * *', { from: anchorMs, count: 100, until })).toEqual([anchorMs + 60_000, until]);
  });

  it('are none for a day that never comes, and end with the last year', () => {
    expect(nextTimes('0 0 30 2 *', { from: anchorMs, count: 1 })).toEqual([]);
    expect(nextTimes('0 0 0 31 4 ?', { from: anchorMs, count: 1 })).toEqual([]);
    expect(nextTimes('0 0 0 1 1 ? 2026', { from: anchorMs, count: 1 })).toEqual([]);
    expect(isoSeconds(nextTimes('0 0 1 1 *', { from: Date.UTC(2197, 5), count: 9 }))).toEqual([
      '2198-01-01T00:00:00Z',
      '2199-01-01T00:00:00Z',
    ]);
  });

  it('are computed one by one', () => {
    const minutes = timesBetween(parsed({ cron: '* * * * *' }), {
      after: anchorMs,
      until: Number.POSITIVE_INFINITY,
    });
    expect(minutes.next().value).toBe(anchorMs + 60_000);
    expect(minutes.next().value).toBe(anchorMs + 120_000);
  });

  it('of a year of minutes are all of them', () => {
    const schedule = parsed({ cron: '* * * * *', timeZone: 'Europe/Berlin' });
    let count = 0;
    for (const _ of timesBetween(schedule, { after: Date.UTC(2026, 0, 1), until: Date.UTC(2027, 0, 1) }))
      count++;
    expect(count).toBe(365 * 24 * 60);
  });
});
