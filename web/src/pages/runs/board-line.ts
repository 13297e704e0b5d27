import { columns, endedColumns } from './filters.ts';

/** The board: the rail of the chat's header at full size, with a notch for each state. */
export const boardWidth = 1_176;
export const boardLine = 52;
const gap = boardWidth / columns.length;
const [notchHalf, notchDepth] = [26, 18];
/** Between what goes on and what has ended. */
const breakHalf = 8;

export function boardX(index: number): number {
  return gap * (index + 0.5);
}

/** The line with its notches; it breaks before the states that runs end in. */
export function boardPath(): string {
  const firstEnded = columns.length - endedColumns.length;
  const notches = columns.map((_, index) => {
    const edge = gap * index;
    const pause = index === firstEnded ? `H${edge - breakHalf}M${edge + breakHalf} ${boardLine}` : '';
    const x = boardX(index);
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
