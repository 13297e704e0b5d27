import { describe, expect, it } from 'vitest';
import {
  type TimePiece,
  timeScale,
  xOfTime,
} from '../../../../../web/src/pages/inspector/timeline/time-scale.ts';

const day = 86_400_000;
const lengths = (pieces: readonly TimePiece[]) => pieces.map(({ x0, x1 }) => Math.round(x1 - x0));

describe('the scale of time', () => {
  it('is even while waits leave the work enough room', () => {
    const pieces = timeScale(
      0,
      100,
      [
        [0, 60],
        [80, 100],
      ],
      [0, 1_000],
    );
    expect([lengths(pieces), pieces[0]?.isBreak]).toEqual([[1_000], false]);
    expect([0, 25, 100].map((at) => xOfTime(pieces, at))).toEqual([0, 250, 1_000]);
  });

  it('breaks a wait of days, so that the seconds of work before and after keep their room', () => {
    const pieces = timeScale(
      0,
      3 * day + 10_000,
      [
        [0, 5_000],
        [3 * day + 5_000, 3 * day + 10_000],
      ],
      [0, 1_000],
    );
    expect(pieces.map(({ isBreak }) => isBreak)).toEqual([false, true, false]);
    expect(lengths(pieces)).toEqual([464, 72, 464]);
    expect(xOfTime(pieces, 2_500)).toBeCloseTo(232);
    expect(xOfTime(pieces, 1.5 * day)).toBeGreaterThan(464);
  });

  it('breaks the long waits alone', () => {
    const work: [number, number][] = [
      [0, 4_000],
      [5_000, 9_000],
      [9_000 + day, 13_000 + day],
    ];
    const pieces = timeScale(0, 13_000 + day, work, [0, 1_000]);
    expect(pieces.filter(({ isBreak }) => isBreak).map(({ from, to }) => to - from)).toEqual([day]);
  });

  it('leaves half of the width to the work, however many waits are broken', () => {
    const work = Array.from({ length: 40 }, (_, i): [number, number] => [i * day, i * day + 1_000]);
    const pieces = timeScale(0, 39 * day + 1_000, work, [0, 1_000]);
    const broken = pieces.filter(({ isBreak }) => isBreak);
    expect(broken).toHaveLength(39);
    expect(broken.reduce((sum, { x0, x1 }) => sum + x1 - x0, 0)).toBeLessThan(1_000);
    expect(pieces.at(-1)?.x1).toBeCloseTo(1_000);
  });

  it('breaks nothing where nothing works: there is nothing to make room for', () => {
    expect(timeScale(0, day, [], [0, 1_000])).toHaveLength(1);
  });

  it('has a length also for a run of one moment, and keeps what lies outside at its ends', () => {
    const pieces = timeScale(5, 5, [], [10, 20]);
    expect([4, 5, 9].map((at) => xOfTime(pieces, at))).toEqual([10, 10, 20]);
  });
});
