import type { Output } from './io.ts';

/**
 * Rows with their columns under each other; the last column is as wide as it is.
 *
 * @param widest characters of a cell that makes room for itself in all rows; a longer one moves only what is behind it.
 */
export function columns(
  rows: readonly (readonly string[])[],
  widest: number = Number.POSITIVE_INFINITY,
): string {
  const widths = widthsOf(rows, widest);
  const line = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

function widthsOf(rows: readonly (readonly string[])[], most = Number.POSITIVE_INFINITY): number[] {
  return rows.reduce<number[]>(
    (widest, row) => row.map((cell, i) => Math.max(widest[i] ?? 0, cell.length > most ? 0 : cell.length)),
    [],
  );
}

/** The last column is cut to what the terminal has room for, or, where there is none, to so many characters. */
export function fitted(
  rows: readonly (readonly string[])[],
  most: number,
  { isTTY, columns: room }: Pick<Output, 'isTTY' | 'columns'> = {},
): string[][] {
  const before = rows.map((row) => row.slice(0, -1));
  const taken = widthsOf(before).reduce((sum, width) => sum + width + 2, 0);
  const left = isTTY && room ? Math.max(room - taken, minFitted) : most;
  return rows.map((row, i) => [...(before[i] ?? []), clipped(row.at(-1) ?? '', left)]);
}

/** Less than this says nothing. */
const minFitted = 20;

/** On one line, and not too long for one. */
export function clipped(text: string, most = 100): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** As wide whatever it says, so that short and long lists look alike. */
export function statusCell(status: string): string {
  return status.padEnd('interrupted'.length);
}

/** To the second: with all that stands beside it, a line is to fit into 80 columns. */
export function timeCell(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
