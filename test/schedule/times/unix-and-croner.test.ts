import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTimes } from '../../../src/schedule/times/next-times.ts';
import { createZones } from '../../../src/schedule/times/zone.ts';
import { inSizes } from '../../support/size.ts';
import { field, place } from './arbitraries.ts';
import { isoSeconds } from './vectors.ts';

const zones = createZones();
const count = 4;
// Where ours stop.
const endMs = Date.UTC(2200, 0, 1);

function ours(expression: string, timeZone: string, from: number): string[] {
  return isoSeconds(nextTimes(expression, { dialect: 'unix', timeZone, from, count, zones }));
}

function croners(expression: string, timeZone: string, from: number): string[] {
  const cron = new Cron(expression, { timezone: timeZone, paused: true, sloppyRanges: true });
  const times = cron.nextRuns(count, new Date(from)).map(Number);
  return isoSeconds(times.filter((ms) => ms < endMs));
}

const names = {
  months: ['JAN', 'feb', 'Mar', 'SEP', 'DEC'],
  days: ['SUN', 'mon', 'Tue', 'SAT'],
};
const fields = [
  field({ min: 0, max: 59 }),
  field({ min: 0, max: 59 }),
  field({ min: 0, max: 23 }),
  field({ min: 1, max: 31 }),
  field({ min: 1, max: 12, names: names.months }),
  // Of 7/2 croner makes no day at all.
  field({ min: 0, max: 7, names: names.days }).filter((text) => !/\b7\//.test(text)),
] as const;
const expression = fc.tuple(...fields).map((texts) => texts.join(' '));
/** What most jobs are: one time a day, for which clocks that change have rules of their own. */
const daily = fc
  .tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 3 }), ...fields.slice(3))
  .map((texts) => texts.join(' '));
const marked = fc
  .tuple(
    fc.constantFrom('0 9', '30 2', '*/20 1-3'),
    fc.constantFrom('L', 'LW', '15W', '1W', '31W', '*'),
    fc.constantFrom('*', '2'),
    fc.constantFrom('*', '5L', 'sunL', '1#1', 'FRI#5', '0#5'),
  )
  .map((texts) => texts.join(' '));

const secondsLater = fc.integer({ min: 0, max: 3 * 86_400 });

describe('unix expressions', () => {
  it.each([
    ['any', expression, 300],
    ['daily', daily, 300],
    ['marked', marked, 150],
  ] as const)('have the times that croner gives them: %s', (_, expressions, numRuns) => {
    fc.assert(
      fc.property(expressions, place, secondsLater, (text, { timeZone, start }, later) => {
        const from = start + later * 1_000;
        expect([text, timeZone, ours(text, timeZone, from)]).toEqual([
          text,
          timeZone,
          croners(text, timeZone, from),
        ]);
      }),
      { numRuns: inSizes({ usual: numRuns, deep: 3 * numRuns, full: 200 * numRuns }) },
    );
  });
});
