import { describe, expect, it } from 'vitest';
import type { CronDialect, MisfirePolicy } from '../../../machines/job.types.ts';
import { misfire, misfirePolicyOf } from '../../../src/schedule/times/misfire.ts';
import { nextTimes, timesBetween } from '../../../src/schedule/times/next-times.ts';
import { checkCron } from '../../../src/schedule/times/schedule.ts';
import { cronVectors, isoSeconds } from './vectors.ts';

interface NextVector {
  expression: string;
  tz: string;
  from: string;
  next: string[];
}

describe.each<[file: string, dialect: CronDialect]>([
  ['unix-next', 'unix'],
  ['quartz-next', 'quartz'],
  ['robfig-next', 'robfig'],
])('%s', (file, dialect) => {
  it.each(
    cronVectors<NextVector>(file).map((vector) => [vector.expression, vector.tz, vector.from, vector.next]),
  )('%s in %s after %s', (expression, timeZone, from, next) => {
    const found = nextTimes(String(expression), {
      dialect,
      timeZone: String(timeZone),
      from: new Date(String(from)),
      // One more than none shows that there is none.
      count: Math.max(1, next?.length ?? 0),
    });
    expect(isoSeconds(found)).toEqual(next);
  });
});

it.each(
  cronVectors<{ expression: string; localTime: string; satisfied: boolean }>('quartz-satisfied').map(
    ({ expression, localTime, satisfied }) => [expression, localTime, satisfied] as const,
  ),
)('%s at %s: %s', (expression, localTime, satisfied) => {
  const at = Date.parse(`${localTime}Z`);
  const [next] = nextTimes(expression, { dialect: 'quartz', from: at - 1_000, count: 1 });
  expect(next === at).toBe(satisfied);
});

describe.each<[file: string, dialect: CronDialect]>([
  ['unix-invalid', 'unix'],
  ['quartz-invalid', 'quartz'],
])('%s', (file, dialect) => {
  it.each(cronVectors<{ expression: string }>(file).map(({ expression }) => expression))(
    '%s is refused',
    (expression) => {
      expect(() => checkCron(expression, { dialect })).toThrow(
        expect.objectContaining({
          code: 'INVALID_CRON',
          message: expect.stringContaining(' cron expression: '),
        }),
      );
    },
  );
});

interface PolicyVector {
  expression: string;
  tz: string;
  from: string;
  byLibrary: { croner: string[] | string; cronparser: string[] | string };
}

// The table "Where libraries differ" in docs/schedule.md.
it.each(cronVectors<PolicyVector>('unix-policy-dependent'))(
  'follows croner in $expression ($tz), and cron-parser where croner refuses',
  ({ expression, tz, from, byLibrary: { croner, cronparser } }) => {
    const found = nextTimes(expression, { dialect: 'unix', timeZone: tz, from: new Date(from), count: 4 });
    expect(isoSeconds(found)).toEqual(Array.isArray(croner) ? croner : cronparser);
  },
);

interface MisfireVector {
  expression: string;
  tz: string;
  lastFired: string;
  now: string;
  misfireThresholdSeconds: number;
  missed: string[];
  expect: Record<string, { firesImmediately: number; next: string }>;
}

describe.each(cronVectors<MisfireVector>('misfire'))('$expression missed until $now', (vector) => {
  const { expression, tz, lastFired, now, misfireThresholdSeconds } = vector;
  const schedule = checkCron(expression, { dialect: 'quartz', timeZone: tz });
  const dueMs = [...timesBetween(schedule, { after: new Date(lastFired), until: new Date(now) })];

  it('has these slots', () => expect(isoSeconds(dueMs)).toEqual(vector.missed));

  it.each(Object.entries(vector.expect))('under %s', (policy, expected) => {
    const { fire, missed } = misfire(misfirePolicyOf(policy) satisfies MisfirePolicy, {
      dueMs,
      nowMs: Date.parse(now),
      thresholdMs: misfireThresholdSeconds * 1_000,
    });
    expect(fire).toHaveLength(expected.firesImmediately);
    expect([...fire, ...missed.map(({ slotMs }) => slotMs)].sort((a, b) => a - b)).toEqual(dueMs);
    expect(isoSeconds(nextTimes(schedule, { from: new Date(now), count: 1 }))).toEqual([expected.next]);
  });
});
