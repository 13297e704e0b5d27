import { expect, it } from 'vitest';
import { boardPath, boardWidth, pileOf } from '../../../../web/src/pages/runs/board-line.ts';

it('has a notch for each state, and breaks before those that runs end in', () => {
  const path = boardPath(9);
  expect(path.match(/L/g)).toHaveLength(18);
  expect(path.match(/M/g)).toHaveLength(2);
  expect(path.endsWith(`H${boardWidth}`)).toBe(true);
});

it('piles up to three balls', () => {
  expect([0, 1, 2, 3, 40].map((count) => pileOf(count).length)).toEqual([0, 1, 2, 3, 3]);
});
