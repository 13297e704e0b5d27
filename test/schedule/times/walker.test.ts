import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CronDialect } from '../../../machines/job.types.ts';
import { timesBetween } from '../../../src/schedule/times/next-times.ts';
import { checkCron } from '../../../src/schedule/times/schedule.ts';
import { createZones } from '../../../src/schedule/times/zone.ts';
import { inSizes } from '../../support/size.ts';
import { field, place } from './arbitraries.ts';
import { isoSeconds } from './vectors.ts';
import { type Walked, walk, walkedTimes } from './walker.ts';

const days = 4;
const dayMs = 86_400_000;
const zones = createZones();
const walks = new Map<string, Walked>();

function walkOf(timeZone: string, from: number): Walked {
  const key = `${timeZone} ${from}`;
  const found = walks.get(key) ?? walk(timeZone, from, days);
  walks.set(key, found);
  return found;
}

const time = [
  fc.constant('0'),
  field({ min: 0, max: 59 }, { mayWrap: true }),
  fc.oneof(
    field({ min: 0, max: 23 }, { mayWrap: true }),
    fc.constantFrom('0-3', '1', '2', '23', '22-2', '*/2'),
  ),
] as const;
const month = field({ min: 1, max: 12, names: ['JAN', 'feb', 'MAR-OCT', 'Nov-Feb'] }, { mayWrap: true });

const byDate = fc.tuple(
  ...time,
  fc.oneof(
    field({ min: 1, max: 31 }, { mayWrap: true }),
    fc.constantFrom(
      'L',
      'L-1',
      'L-3',
      'L-30',
      'LW',
      'L-2W',
      '1W',
      '28W',
      '31W',
      '1,L',
      '15W,30',
      'L-1W,L-1',
      '29,LW',
    ),
  ),
  month,
  fc.constant('?'),
);
const byDay = fc.tuple(
  ...time,
  fc.constant('?'),
  month,
  fc.oneof(
    field({ min: 1, max: 7, names: ['MON-FRI', 'sat-mon', 'SUN'] }, { mayWrap: true }),
    fc
      .tuple(fc.constantFrom('1', '2', '4', '7', 'SUN', 'fri'), fc.constantFrom('L', '#1', '#2', '#4', '#5'))
      .map((parts) => parts.join('')),
    fc.constant('L'),
  ),
);
const robfig = fc.tuple(
  ...[time[0], field({ min: 0, max: 59 }), field({ min: 0, max: 23 })],
  field({ min: 1, max: 31 }),
  field({ min: 1, max: 12, names: ['JAN', 'Nov'] }),
  field({ min: 0, max: 6, names: ['SUN', 'mon-fri'] }),
);

describe('the times of an expression are those that a walk through all minutes finds', () => {
  it.each<[string, Exclude<CronDialect, 'unix'>, fc.Arbitrary<readonly string[]>]>([
    ['Quartz, by day of the month', 'quartz', byDate],
    ['Quartz, by day of the week', 'quartz', byDay],
    ['robfig', 'robfig', robfig],
  ])('%s', (_, dialect, texts) => {
    fc.assert(
      fc.property(texts, place, (fields, { timeZone, start: after }) => {
        const expression = fields.join(' ');
        const until = after + days * dayMs;
        const schedule = checkCron(expression, { dialect, timeZone });
        const walked = walkedTimes(expression, dialect, walkOf(timeZone, after), after, until);
        expect([
          expression,
          timeZone,
          isoSeconds([...timesBetween(schedule, { after, until, zones })]),
        ]).toEqual([expression, timeZone, isoSeconds(walked)]);
      }),
      { numRuns: inSizes({ usual: 10, deep: 30, full: 6_000 }) },
    );
  });
});
