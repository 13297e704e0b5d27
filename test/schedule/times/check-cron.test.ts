import { describe, expect, it } from 'vitest';
import type { CronDialect } from '../../../machines/job.types.ts';
import { checkCron } from '../../../src/schedule/times/schedule.ts';

describe('an expression that is refused', () => {
  it.each<[expression: string, dialect: CronDialect | undefined, why: string]>([
    ['', undefined, 'is not a cron expression'],
    ['x'.repeat(501), undefined, 'at most 500 characters'],
    ['0 9 * *', undefined, 'it has 4 fields: 5 are needed, or 6 with seconds first'],
    ['@reboot', undefined, 'is not one of @yearly'],
    ['@every 5m', undefined, 'write the schedule as "every"'],
    ['0 25 * * *', undefined, 'hours "25": 25 is out of range; hours are 0 to 23'],
    ['0 0 * * 8', undefined, 'days of the week are 0 to 7 or SUN to SAT (SUN is 0)'],
    ['* 12-2 * * *', undefined, 'hours "12-2" goes backwards: write "12-23,0-2"'],
    ['1,,2 * * * *', undefined, 'an empty entry'],
    ['*/0 * * * *', undefined, 'a step of 0 never moves'],
    ['/10 * * * *', undefined, 'write "*/10"'],
    ['0 0 0 1 * ? 2030', 'unix', 'name the dialect "quartz"'],
    ['0 0 * * 7', 'robfig', 'days of the week are 0 to 6'],
    ['0 0 L * *', 'robfig', '"L" is not a value'],
    ['0 9 L * *', undefined, 'write "0 0 9 L * ?"'],
    ['0 9 ? * 2', undefined, 'write "0 0 9 ? * 2"'],
    ['0 9 ? * 2', undefined, 'as no dialect was named'],
    ['0 0 9 * * *', 'quartz', 'cannot both be given: write "?" in one of them'],
    ['0 0 9 ? * ?', undefined, 'not for both'],
    ['0 ? 9 * * ?', undefined, 'write "*" in minutes'],
    ['0 0 9 ? * 2#6', undefined, 'a number between 1 and 5 must follow "#"'],
    ['0 0 9 ? * 2#1,6#3', undefined, 'stand alone'],
    ['0 0 9 ? * MON-FRI#2', undefined, '"MON-FRI" is not a value'],
    ['0 0 9 ? * MON-FRI/2', undefined, 'Quartz ignores a step behind a name'],
    ['0 0 9 32W * ?', undefined, '32 is out of range'],
    ['0 0 9 L-31 * ?', undefined, 'at most 30'],
    ['0 0 9 1-15W * ?', undefined, 'write "L", "L-3", "LW" or "15W"'],
    ['0 0 9 ? JANX 2', undefined, '"JANX" is not a value; months are 1 to 12 or JAN to DEC'],
    ['0 0 9 * * ? 2030-2020', undefined, 'write "2020-2030"'],
    ['0 0 9 * * ? 2200', undefined, 'years are 1970 to 2199'],
  ])('%s (%s): %s', (expression, dialect, why) => {
    expect(() => checkCron(expression, { dialect })).toThrow(
      expect.objectContaining({ code: 'INVALID_CRON', message: expect.stringContaining(why) }),
    );
  });

  it('is one whose dialect is unknown', () => {
    // @ts-expect-error from outside
    expect(() => checkCron('0 9 * * *', { dialect: 'Unix' })).toThrow(
      'dialect is "unix", "quartz", "robfig"',
    );
  });
});

it('takes long names where Quartz does', () => {
  expect(checkCron('0 0 9 ? APRIL monday').dialect).toBe('quartz');
});
