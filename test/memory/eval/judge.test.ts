import { describe, expect, it } from 'vitest';
import { judge, percentile } from '../../../src/memory/eval/judge.ts';

const file = (path: string) => ({ path, startLine: 1, endLine: 9 });
const lines = (path: string, startLine: number, endLine: number) => ({ path, startLine, endLine });
const place = (path: string, line?: number) => ({ path, line });
const many = (count: number, name = 'x') => Array.from({ length: count }, (_, n) => file(`${name}${n}.md`));

describe('an answer', () => {
  it.each([
    // 1 / log2(2) of 1 / log2(2).
    ['the one file first', [file('a.md'), file('b.md')], [place('a.md')], [1, 1, 1, 1, 1]],
    // 1 / log2(4).
    ['the one file third', [...many(2), file('a.md')], [place('a.md')], [0, 1, 1, 1, 0.5]],
    // 1 / log2(8), below the first five.
    ['the one file seventh', [...many(6), file('a.md')], [place('a.md')], [0, 0, 0, 1, 1 / 3]],
    ['the one file eleventh', [...many(10), file('a.md')], [place('a.md')], [0, 0, 0, 0, 0]],
    ['nothing', [], [place('a.md')], [0, 0, 0, 0, 0]],
    // (1 + 1 / log2(4)) / (1 + 1 / log2(3)).
    [
      'two of two, first and third',
      [file('a.md'), ...many(1), file('b.md')],
      [place('a.md'), place('b.md')],
      [1, 1, 1, 1, 1.5 / (1 + 1 / Math.log2(3))],
    ],
    [
      'one of three, second',
      [...many(1), file('b.md')],
      [place('a.md'), place('b.md'), place('c.md')],
      [0, 1, 1 / 3, 1 / 3, 1 / Math.log2(3) / (1 + 1 / Math.log2(3) + 0.5)],
    ],
    // Of twelve no more than ten can be found: what is best is the best of ten.
    [
      'ten of twelve',
      many(10, 'a'),
      many(12, 'a').map(({ path }) => place(path)),
      [1, 1, 5 / 12, 10 / 12, 1],
    ],
    // The second passage of a file takes no rank of its own.
    [
      'a file behind many passages of another',
      [file('b.md'), file('b.md'), file('b.md'), file('a.md')],
      [place('a.md')],
      [0, 1, 1, 1, 1 / Math.log2(3)],
    ],
    [
      'the passage with the line',
      [lines('a.md', 1, 4), lines('a.md', 5, 8)],
      [place('a.md', 5)],
      [0, 1, 1, 1, 1 / Math.log2(3)],
    ],
    ['a line at either end', [lines('a.md', 3, 5)], [place('a.md', 5)], [1, 1, 1, 1, 1]],
    ['a line before and behind', [lines('a.md', 3, 5)], [place('a.md', 2)], [0, 0, 0, 0, 0]],
    ['the line of another file', [lines('b.md', 3, 5)], [place('a.md', 4)], [0, 0, 0, 0, 0]],
    [
      'two lines in one passage',
      [lines('a.md', 3, 5)],
      [place('a.md', 3), place('a.md', 5)],
      [1, 1, 1, 1, 1],
    ],
    [
      'two of three lines in one passage',
      [lines('a.md', 3, 5)],
      [place('a.md', 3), place('a.md', 5), place('a.md', 9)],
      [1, 1, 2 / 3, 2 / 3, 1 / (1 + 1 / Math.log2(3))],
    ],
    [
      'a line twice, in passages that overlap',
      [lines('a.md', 3, 5), lines('a.md', 5, 8)],
      [place('a.md', 5)],
      [1, 1, 1, 1, 1],
    ],
  ])('of %s is worth what it should be', (_, hits, relevant, expected) => {
    const { hitAt1, hitAt5, recallAt5, recallAt10, ndcgAt10 } = judge(hits, relevant);
    const found = [hitAt1, hitAt5, recallAt5, recallAt10, ndcgAt10];
    for (const [i, value] of found.entries()) expect(value, `${i}`).toBeCloseTo(expected[i] ?? -1, 10);
  });

  it('may name a file in another way than the question', () => {
    const composed = 'notes/caf\u00e9.md';
    expect(judge([file(composed.normalize('NFD'))], [place(composed)]).hitAt1).toBe(1);
  });
});

describe('a percentile', () => {
  it.each([
    [[], 0.5, 0],
    [[7], 0.95, 7],
    [[2, 1], 0.5, 1],
    [[3, 1, 2], 0.5, 2],
    [Array.from({ length: 100 }, (_, n) => 100 - n), 0.95, 95],
    [Array.from({ length: 20 }, (_, n) => n + 1), 0.95, 19],
    [Array.from({ length: 10 }, (_, n) => n + 1), 0.95, 10],
  ])('of %j at %d is %d', (numbers, share, expected) => {
    expect(percentile(numbers, share)).toBe(expected);
  });
});
