import { describe, expect, it } from 'vitest';
import {
  notchesAround,
  notchesIn,
  notchX,
  seqAt,
} from '../../../../../web/src/pages/inspector/timeline/notches.ts';

describe('the notches of the rail', () => {
  it('are those of all transitions of a short run', () => {
    expect(notchesAround(15, 9, 50, null)).toEqual({ first: 1, last: 15 });
    expect(notchesAround(0, 0, 50, null)).toEqual({ first: 1, last: 1 });
  });

  it('of a long run lie around the ball, and at its ends, within the run', () => {
    expect(notchesAround(5_000, 2_500, 50, null)).toEqual({ first: 2_475, last: 2_524 });
    expect(notchesAround(5_000, 3, 50, null)).toEqual({ first: 1, last: 50 });
    expect(notchesAround(5_000, 4_999, 50, null)).toEqual({ first: 4_951, last: 5_000 });
  });

  it('stay while the ball has some on both sides, so that the ball moves and not the rail', () => {
    const before = { first: 100, last: 149 };
    expect(notchesAround(5_000, 130, 50, before)).toBe(before);
    expect(notchesAround(5_000, 146, 50, before)).toEqual({ first: 121, last: 170 });
    expect(notchesAround(5_000, 90, 50, before)).toEqual({ first: 65, last: 114 });
  });

  it('stay at an end of the run, where there is no other side', () => {
    const start = { first: 1, last: 50 };
    expect(notchesAround(5_000, 1, 50, start)).toBe(start);
    const end = { first: 4_951, last: 5_000 };
    expect(notchesAround(5_000, 5_000, 50, end)).toBe(end);
    expect(notchesAround(5_001, 5_001, 50, end)).toEqual({ first: 4_952, last: 5_001 });
  });

  it('are as many as can be told apart', () => {
    expect([notchesIn(1_128), notchesIn(60)]).toEqual([51, 5]);
  });
});

describe('a place on the rail', () => {
  const window = { first: 10, last: 20 };

  it('is that of the nearest notch, and back', () => {
    for (const seq of [10, 13, 20]) expect(seqAt(notchX(seq, window, 528), window, 528)).toBe(seq);
    expect(seqAt(notchX(13, window, 528) + 20, window, 528)).toBe(13);
    expect([seqAt(-50, window, 528), seqAt(900, window, 528)]).toEqual([10, 20]);
  });

  it('of a run with one transition is the middle', () => {
    expect(notchX(1, { first: 1, last: 1 }, 500)).toBe(250);
  });
});
