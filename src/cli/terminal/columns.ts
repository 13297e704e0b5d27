import { printable } from '../../text/printable.ts';
import type { Terminal } from './terminal.ts';
import { textWidth } from './text-width.ts';

/**
 * Rows with aligned columns; the last column is not padded.
 *
 * @param widest maximum width of an aligned column. A longer cell shifts only the rest of its own row.
 */
export function columns(
  rows: readonly (readonly string[])[],
  widest: number = Number.POSITIVE_INFINITY,
): string {
  const lines = rows.map((row) => row.map(cellOf));
  const widths = widthsOf(lines, widest);
  const line = (row: readonly string[]) => row.map((cell, i) => padded(cell, widths[i] ?? 0)).join('  ');
  return lines.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** A cell is one line, whatever it names. */
function cellOf(text: string): string {
  return printable(text.replaceAll(/\s*[\n\t]\s*/g, ' '));
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - textWidth(cell)));
}

function widthsOf(rows: readonly (readonly string[])[], maxWidth = Number.POSITIVE_INFINITY): number[] {
  return rows.reduce<number[]>(
    (widest, row) =>
      row.map((cell, i) => {
        const width = textWidth(cell);
        return Math.max(widest[i] ?? 0, width > maxWidth ? 0 : width);
      }),
    [],
  );
}

/** Maximum width of the last column: the rest of the terminal's width, or this many characters without a terminal. */
export function fitted(
  rows: readonly (readonly string[])[],
  maxLength: number,
  { isTTY, columns: room }: Partial<Pick<Terminal, 'isTTY' | 'columns'>> = {},
): string[][] {
  const before = rows.map((row) => row.slice(0, -1).map(cellOf));
  const taken = widthsOf(before).reduce((sum, width) => sum + width + 2, 0);
  const left = isTTY && room ? Math.max(room - taken, minFitted) : maxLength;
  return rows.map((row, i) => [...(before[i] ?? []), clipped(row.at(-1) ?? '', left)]);
}

/** Below this width a cut text is useless. */
const minFitted = 20;

/** Text on one line, cut to a maximum. */
export function clipped(text: string, maxLength = 100): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** A status, padded to a fixed width, so that all lists align alike. */
export function statusCell(status: string): string {
  return status.padEnd('interrupted'.length);
}

/** A time to the second, so that a row fits into 80 columns. */
export function timeCell(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
