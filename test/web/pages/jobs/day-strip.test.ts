import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type DayJob,
  dayStrip,
  hourTicks,
  type Label,
  linePath,
  stripWidth,
  textWidth,
} from '../../../../web/src/pages/jobs/day-strip.ts';

const now = new Date(2026, 10, 22, 15, 36).getTime();
const inHours = (hours: number) => now + hours * 3_600_000;
const name = ({ jobId }: DayJob) => `${jobId} 18:00`;
const job = (jobId: string, ...hours: number[]): DayJob => ({
  jobId,
  times: hours.map(inHours),
  isWhole: true,
});

it('gives each time a notch, and the first of each job a label', () => {
  const { notches, labels } = dayStrip([job('shop', 6, 12), job('bank', 15)], now, name);
  expect(notches.map(({ x, isNext }) => [Math.round(x), isNext])).toEqual([
    [294, true],
    [588, false],
    [735, true],
  ]);
  expect(labels.map(({ jobId, lane, side }) => [jobId, lane, side])).toEqual([
    ['shop', 0, 'right'],
    ['bank', 0, 'right'],
  ]);
});

it('puts jobs that are due together into one notch', () => {
  const { notches } = dayStrip([job('a', 6), job('b', 6), job('c', 6.1)], now, name);
  expect(notches).toHaveLength(1);
  expect(notches[0]?.due.map(({ jobId }) => jobId)).toEqual(['a', 'b', 'c']);
});

it('leaves out what is not of the coming day', () => {
  expect(dayStrip([job('a', -1, 25)], now, name)).toMatchObject({ notches: [], labels: [] });
});

it('marks the other times of a job that is due often', () => {
  const often = job('often', ...Array.from({ length: 20 }, (_, index) => index + 1));
  const { notches, marks } = dayStrip([often], now, name);
  expect(notches).toHaveLength(1);
  expect(marks).toHaveLength(19);
  expect(dayStrip([{ ...often, isWhole: false }], now, name).marks).toEqual([]);
});

it('draws the line through all notches', () => {
  const { notches } = dayStrip([job('a', 12)], now, name);
  expect(linePath(notches, 66)).toBe(`M0 66H579L588 75L597 66H${stripWidth}`);
});

it('numbers every third hour of the clock', () => {
  const ticks = hourTicks(now);
  expect(ticks[0]?.hour).toBe(16);
  expect(ticks.filter(({ isLabelled }) => isLabelled).map(({ hour }) => hour)).toEqual([
    18, 21, 0, 3, 6, 9, 12, 15,
  ]);
});

it('never lays a label over another one, over a stem, or over the ends', () => {
  const jobs = fc.uniqueArray(
    fc.record({
      jobId: fc.string({ minLength: 1, maxLength: 22 }),
      times: fc.array(fc.double({ min: 0, max: 23.9, noNaN: true }), { minLength: 1, maxLength: 4 }),
    }),
    { selector: ({ jobId }) => jobId, maxLength: 20 },
  );
  fc.assert(
    fc.property(jobs, (made) => {
      const all = made.map(({ jobId, times }) => job(jobId, ...times.toSorted((a, b) => a - b)));
      const { labels } = dayStrip(all, now, name);
      const boxes = labels.map((label) => ({ ...label, ...box(label) }));
      for (const one of boxes) {
        expect(one.from).toBeGreaterThanOrEqual(0);
        expect(one.to).toBeLessThanOrEqual(stripWidth);
        for (const other of boxes) {
          if (other === one) continue;
          if (other.lane === one.lane) expect(other.to < one.from || other.from > one.to).toBe(true);
          // A stem reaches up to its lane.
          if (other.lane > one.lane) expect(other.x > one.from && other.x < one.to).toBe(false);
        }
      }
    }),
  );
});

function box({ jobId, x, side }: Label) {
  const width = textWidth(`${jobId} 18:00`) + 12;
  return side === 'right' ? { from: x, to: x + width } : { from: x - width, to: x };
}
