import { endedColumns } from './filters.ts';

/** The board: the rail of the chat's header at full size, with a notch for each state. */
export const boardWidth = 1_176;
export const boardLine = 52;
const [notchHalf, notchDepth] = [26, 18];
/** Between what goes on and what has ended. */
const breakHalf = 8;

/** The middle of a column, of so many. */
export function boardX(index: number, columns: number): number {
  return (boardWidth / columns) * (index + 0.5);
}

/** The line with its notches, one for each column; it breaks before the states that runs end in. */
export function boardPath(columns: number): string {
  const firstEnded = columns - endedColumns.length;
  const notches = Array.from({ length: columns }, (_, index) => {
    const edge = (boardWidth / columns) * index;
    const pause = index === firstEnded ? `H${edge - breakHalf}M${edge + breakHalf} ${boardLine}` : '';
    const x = boardX(index, columns);
    return `${pause}H${x - notchHalf}L${x} ${boardLine + notchDepth}L${x + notchHalf} ${boardLine}`;
  });
  return `M0 ${boardLine}${notches.join('')}H${boardWidth}`;
}

/** Where balls lie in a notch: one in it, two side by side, more on top of them. */
const piles: readonly (readonly (readonly [dx: number, dy: number])[])[] = [
  [],
  [[0, 0]],
  [
    [-11, -7.4],
    [11, -7.4],
  ],
  [
    [-11, -7.4],
    [11, -7.4],
    [0, -26.4],
  ],
];

/** A pile is no higher than three balls; the number below it has them all. */
export function pileOf(count: number): readonly (readonly [dx: number, dy: number])[] {
  return piles[Math.min(count, piles.length - 1)] ?? [];
}
