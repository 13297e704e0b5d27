import { describe, expect, it } from 'vitest';
import {
  maxBehindMs,
  Pace,
  wholeCharacters,
  wholeWords,
} from '../../../../../web/src/pages/chat/conversation/pace.ts';

/** Lengths that are shown at each frame, when pieces come at these times. */
function shown(
  pieces: readonly { at: number; length: number }[],
  untilMs: number,
): { at: number; may: number }[] {
  const pace = new Pace(0, 0);
  const frames: { at: number; may: number }[] = [];
  const left = [...pieces];
  for (let now = 0; now <= untilMs; now += 16) {
    while (left[0] && left[0].at <= now) {
      const { at, length } = left.shift() as { at: number; length: number };
      pace.arrive(length, at);
    }
    const { may, must } = pace.at(now);
    frames.push({ at: now, may: Math.max(may, must) });
  }
  return frames;
}

const steady = Array.from({ length: 100 }, (_, n) => ({ at: n * 50, length: (n + 1) * 10 }));
const bursts = Array.from({ length: 5 }, (_, n) => ({ at: n * 900, length: (n + 1) * 300 }));

describe('the pace of an answer', () => {
  it.each([
    ['steadily', steady],
    ['in bursts', bursts],
  ])(
    'never shows what came %s more than 400 ms late, nor before it came, nor less than before',
    (_how, pieces) => {
      let before = 0;
      for (const { at, may } of shown(pieces, 5_400)) {
        const came = pieces.findLast((piece) => piece.at <= at)?.length ?? 0;
        const due = pieces.findLast((piece) => piece.at <= at - maxBehindMs)?.length ?? 0;
        expect(may).toBeLessThanOrEqual(came);
        expect(may).toBeGreaterThanOrEqual(due);
        expect(may).toBeGreaterThanOrEqual(before);
        before = may;
      }
      expect(before).toBe(pieces.at(-1)?.length);
    },
  );

  it('spreads a piece that comes at once', () => {
    const frames = shown([{ at: 0, length: 400 }], 450);
    const steps = frames.slice(1).map(({ may }, at) => may - (frames[at]?.may ?? 0));
    expect(Math.max(...steps)).toBeLessThan(60);
    expect(steps.filter((step) => step > 0).length).toBeGreaterThan(15);
  });

  it('shows at once what was there before', () => {
    const pace = new Pace(500, 0);
    expect(pace.isBehind).toBe(false);
    pace.arrive(510, 10);
    expect(pace.at(11).may).toBeGreaterThanOrEqual(500);
  });

  it('follows a text that became shorter', () => {
    const pace = new Pace(100, 0);
    pace.arrive(20, 10);
    expect(pace.at(20).may).toBe(20);
  });
});

describe('a beginning of a text', () => {
  it('ends with a whole word, and with any Chinese character', () => {
    const text = 'The don’t-care 龙井茶 word';
    const ends = [...new Set(Array.from(text, (_, at) => text.slice(0, wholeWords(text, at))))];
    expect(ends).toEqual([
      '',
      'The',
      'The ',
      'The don’t-care',
      'The don’t-care ',
      'The don’t-care 龙',
      'The don’t-care 龙井',
      'The don’t-care 龙井茶',
      'The don’t-care 龙井茶 ',
    ]);
  });

  it('never ends within a character as people see it', () => {
    const text = 'a👩‍👩‍👧 e\u0301🇨🇳!';
    const segments = [...new Intl.Segmenter().segment(text)].map(({ index }) => index);
    for (let at = 0; at < text.length; at++) {
      expect([...segments, text.length]).toContain(wholeCharacters(text, at));
      expect([...segments, text.length]).toContain(wholeWords(text, at));
    }
    expect(wholeCharacters('ab\ud83d', 3)).toBe(2);
  });

  it('of a word without an end is cut', () => {
    expect(wholeWords('a'.repeat(500), 300)).toBe(300);
  });
});
