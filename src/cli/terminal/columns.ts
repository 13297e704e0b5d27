import { duration, printable } from '../../text/wording.ts';
import { styled, type Text } from './styled.ts';
import type { Terminal } from './terminal.ts';
import { clipped as clippedTo, textWidth } from './text-width.ts';

/** A column of a list. */
export interface Column<Row> {
  /** Printed above the column, on a terminal only. */
  title: string;
  cell(row: Row): string;
  /** On a narrow terminal it may be cut to this many columns; without it never. */
  min?: number;
  /** On a terminal too narrow for all, columns are left out: those with the lowest number first. Without it never. */
  rank?: number;
  /** Left out when every row has this in it. */
  unless?: string;
}

const gap = 2;

/**
 * A list that fits the terminal's width: cells are cut first, the last column before the others, then whole columns are
 * left out. Without a terminal, as for programs, nothing is cut or left out, and there are no titles.
 */
export function listed<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { isTTY, columns: room }: Pick<Terminal, 'isTTY' | 'columns'>,
): Text {
  const known = columns.map((column) => ({ ...column, cells: rows.map((row) => cellOf(column.cell(row))) }));
  if (!isTTY) return alignedLines(known.map(({ cells }) => cells));
  const told = known.filter(
    ({ unless, cells }) => unless === undefined || cells.some((cell) => cell !== unless),
  );
  const shown = fitting(told, room ?? defaultRoom);
  const titles = shown
    .map(({ title, width }) => title.padEnd(width))
    .join(' '.repeat(gap))
    .trimEnd();
  return [
    styled('dim', titles),
    '\n',
    alignedLines(shown.map(({ cells, width }) => cells.map((cell) => clippedTo(cell, width)))),
  ];
}

const defaultRoom = 80;

type Sized = { title: string; cells: readonly string[]; width: number };

/** Columns with their widths, together at most as wide as `room` if that is possible. */
function fitting(
  columns: readonly { title: string; cells: readonly string[]; min?: number; rank?: number }[],
  room: number,
): Sized[] {
  const sized = columns.map((column) => {
    const natural = Math.max(textWidth(column.title), ...column.cells.map(textWidth));
    return { ...column, natural, least: Math.min(natural, column.min ?? natural) };
  });
  const taken = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + gap, -gap);
  while (taken(sized.map(({ least }) => least)) > room) {
    const [first] = sized
      .filter(({ rank }) => rank !== undefined)
      .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
    if (!first) break;
    sized.splice(sized.indexOf(first), 1);
  }
  const widths = sized.map(({ least }) => least);
  const grow = (i: number, most: number) => {
    const left = Math.max(0, room - taken(widths));
    const width = widths[i] ?? 0;
    widths[i] = Math.max(width, Math.min(width + left, most));
  };
  for (const [i, { natural }] of sized.entries()) grow(i, Math.min(natural, enough));
  for (const [i, { natural }] of [...sized.entries()].reverse()) grow(i, natural);
  return sized.map(({ title, cells }, i) => ({ title, cells, width: widths[i] ?? 0 }));
}

/** A column wider than this gets more room only when the columns behind it need none. */
const enough = 30;

function alignedLines(columns: readonly (readonly string[])[]): string {
  const rows = (columns[0] ?? []).map((_, i) => columns.map((cells) => cells[i] ?? ''));
  return linesUp(rows, widthsOf(rows));
}

/**
 * Rows with aligned columns; the last column is not padded.
 *
 * @param widest maximum width of an aligned column. A longer cell shifts only the rest of its own row.
 */
export function columns(
  rows: readonly (readonly string[])[],
  widest: number = Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => row.map(cellOf));
  return linesUp(cells, widthsOf(cells, widest));
}

function linesUp(rows: readonly (readonly string[])[], widths: readonly number[]): string {
  const line = (row: readonly string[]) =>
    row.map((cell, i) => padded(cell, widths[i] ?? 0)).join(' '.repeat(gap));
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
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

/** Text on one line, cut to a maximum. */
export function clipped(text: string, maxLength = 100): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** A status, with what came of the run when that says more. */
export function statusCell(status: string, outcome: string | null = null): string {
  const says = outcome !== null && outcome !== status && outcome !== 'completed';
  return says ? `${status} (${outcome})` : status;
}

/** When something happened: for a program to the second, for a person how long ago. */
export function timeCell(at: number, { isTTY }: Pick<Terminal, 'isTTY'>, now = Date.now()): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '-';
  if (!isTTY) return date.toISOString().replace(/\.\d+Z$/, 'Z');
  const seconds = Math.max(1, Math.floor((now - at) / 1_000));
  return `${duration(seconds * 1_000)} ago`;
}

/** US dollars; `?` when no price is known. */
export function costCell(costUsd: number | null): string {
  return costUsd === null ? '?' : `$${costUsd.toFixed(4)}`;
}
