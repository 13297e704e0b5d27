import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../../../src/schedule/times/schedule.ts';
import { partsOf } from '../../../../src/schedule/times/schedule-parts.ts';
import { inChinese } from '../../../../web/src/pages/jobs/chinese-schedule.ts';

function chinese(schedule: Schedule): string | null {
  const parts = partsOf(schedule);
  return parts && inChinese(parts);
}

const cron = (expression: string, dialect: 'unix' | 'quartz' = 'unix') =>
  chinese({ kind: 'cron', expression, dialect, timeZone: 'Asia/Shanghai' });
const every = (everyMs: number) => chinese({ kind: 'every', everyMs, anchorMs: 0 });

describe('a schedule in Chinese', () => {
  it.each([
    ['0 18 * * *', '每天 18:00'],
    ['0 6 * * 1-5', '周一至周五 06:00'],
    ['35 15 * * 0', '周日 15:35'],
    ['0 9,12 * * 1,3,5', '周一、周三、周五 09:00、12:00'],
    ['*/30 9-20 * * *', '9 至 20 时，每 30 分钟'],
    ['* * * * *', '每分钟'],
    ['0 * * * *', '每小时'],
    ['0 8-20/2 * * *', '08:00 至 20:00，每 2 小时'],
    ['*/7 * * * *', '每小时的第 0 至 56 分，每 7 分钟'],
    ['5 * * * *', '每小时的第 5 分'],
    ['0 9 1 * *', '每月 1 日 09:00'],
    ['0 9 1,15 1-3 *', '1 月至 3 月，每月 1、15 日 09:00'],
    ['0 0 1 * 1', '每月 1 日或周一 00:00'],
  ])('%s is %s', (expression, words) => {
    expect(cron(expression)).toBe(words);
  });

  it.each([
    ['0 0 9 L * ?', '每月最后一天 09:00'],
    ['0 0 9 LW * ?', '每月最后一个工作日 09:00'],
    ['0 0 9 15W * ?', '每月离 15 日最近的工作日 09:00'],
    ['0 0 9 ? * 6L', '每月最后一个周五 09:00'],
    ['0 0 9 ? * 6#3', '每月第三个周五 09:00'],
    ['0 0 9 1 1 ? 2030', '2030 年 1 月，每月 1 日 09:00'],
  ])('%s of Quartz is %s', (expression, words) => {
    expect(cron(expression, 'quartz')).toBe(words);
  });

  it.each([
    [1_000, '每秒'],
    [900_000, '每 15 分钟'],
    [5_400_000, '每 1 小时 30 分钟'],
    [86_400_000, '每天'],
    [172_800_000, '每 2 天'],
  ])('%i ms is %s', (ms, words) => {
    expect(every(ms)).toBe(words);
  });

  it('knows every part of a schedule', () => {
    const field = (low: number, high: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: low, max: high }).map(String),
        fc.integer({ min: 2, max: Math.min(20, high) }).map((step) => `*/${step}`),
        fc
          .uniqueArray(fc.integer({ min: low, max: high }), { minLength: 2, maxLength: 8 })
          .map((list) => list.join(',')),
        fc
          .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
          .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      );
    const expressions = fc.tuple(
      field(0, 59),
      field(0, 59),
      field(0, 23),
      field(1, 28),
      field(1, 12),
      field(0, 6),
    );
    fc.assert(
      fc.property(expressions, (fields) => {
        const words = cron(fields.join(' '));
        expect(words, fields.join(' ')).not.toBeNull();
        expect(words).not.toMatch(/[a-z]/i);
      }),
      { numRuns: 500 },
    );
  });
});
