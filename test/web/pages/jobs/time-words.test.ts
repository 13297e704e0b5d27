import { afterEach, describe, expect, it } from 'vitest';
import { chooseLanguage } from '../../../../web/src/base/language.ts';
import { away, dayTime, laterTimes, writtenSpan } from '../../../../web/src/pages/jobs/time-words.ts';

// A Sunday.
const now = new Date(2026, 10, 22, 15, 36).getTime();
const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

afterEach(() => chooseLanguage('en'));

describe('in English', () => {
  it.each([
    [42_000, 'in 42 s'],
    [24 * 60_000, 'in 24 min'],
    [3_600_000, 'in 1 h'],
    [144 * 60_000, 'in 2 h 24 min'],
    [7 * 86_400_000, 'in 7 days'],
    [0, 'now'],
  ])('%i ms is %s', (ms, words) => {
    expect(away(now + ms, now)).toBe(words);
  });

  it('names today, tomorrow, a day of this week, else the date', () => {
    expect(dayTime(at(22, 18), now)).toBe('today 18:00');
    expect(dayTime(at(23, 8), now)).toBe('tomorrow 8:00');
    expect(dayTime(at(27, 6), now)).toBe('Fri 6:00');
    expect(dayTime(at(29, 15, 35), now)).toBe('29 Nov 15:35');
  });

  it('says the later times as short as they can be said', () => {
    expect(laterTimes([at(22, 18), at(23, 18), at(24, 18)], now)).toBe('tomorrow, Tue 18:00');
    expect(laterTimes([at(22, 16), at(22, 16, 30), at(22, 17)], now)).toBe('16:30, 17:00');
    expect(laterTimes([at(22, 20), at(23, 9), at(24, 10)], now)).toBe('tomorrow 9:00, Tue 10:00');
    expect(laterTimes([at(22, 20)], now)).toBeNull();
  });
});

it('says the same in Chinese', () => {
  chooseLanguage('zh-CN');
  expect(away(now + 144 * 60_000, now)).toBe('2 小时 24 分钟后');
  expect(dayTime(at(23, 8), now)).toBe('明天 8:00');
  expect(laterTimes([at(22, 18), at(23, 18), at(24, 18)], now)).toBe('明天、周二 18:00');
});

it.each([
  [60_000, '1m'],
  [5_400_000, '1h30m'],
  [86_400_000, '1d'],
  [0, '0s'],
  [1_500, '1500'],
])('writes %i ms as the gateway reads it: %s', (ms, span) => {
  expect(writtenSpan(ms)).toBe(span);
});
