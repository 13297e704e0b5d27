export const rowHeight = 32;

/** Rows beyond the edges that are made too, so that a fast scroll shows no gap. */
const spare = 4;

/** The rows that are in sight, or almost: from `first` to before `last`. */
export function rowsToShow(top: number, height: number, count: number): { first: number; last: number } {
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  return {
    first: Math.min(first, count),
    last: Math.min(count, Math.ceil((top + height) / rowHeight) + spare),
  };
}

/** How far to scroll so that a row is in sight, with the next one: as little as possible. */
export function scrolledTo(row: number, top: number, height: number): number {
  const margin = height > rowHeight * 4 ? rowHeight : 0;
  const above = row * rowHeight - margin;
  const below = (row + 1) * rowHeight + margin - height;
  return Math.max(0, Math.min(Math.max(top, below), above));
}
