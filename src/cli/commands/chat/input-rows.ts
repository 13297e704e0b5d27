import { printable } from '../../terminal/printable.ts';
import { clipped, textWidth, widthOf } from '../../terminal/text-width.ts';
import type { Footer } from './live-screen.ts';

/** What the footer is made of. */
export interface FooterParts {
  /** What goes on, in one row; null when nothing does. */
  status: string | null;
  prompt: string;
  /** What has been typed, with its line ends. */
  line: string;
  /** In UTF-16 units of `line`. */
  cursor: number;
}

export interface Size {
  columns: number;
  rows: number;
}

/** How the parts are coloured; colours take no columns. */
export interface FooterStyle {
  status(text: string): string;
  prompt(text: string): string;
}

/** Beyond this a pasted text would push the conversation off the screen. */
const maxInputRows = 10;

/**
 * Lays status, prompt and typed line out in rows that fit the screen. A line that is longer than it may be is shown
 * around its cursor.
 */
export function layOut(parts: FooterParts, size: Size, style: FooterStyle): Footer {
  // The last column stays free: a terminal that has filled it is between two rows.
  const columns = Math.max(1, size.columns - 1);
  const prompt = textWidth(parts.prompt) < columns - 1 ? parts.prompt : '';
  const { rows, cursor } = wrapped(parts, textWidth(prompt), columns);
  const status = parts.status === null ? [] : [style.status(clipped(parts.status, columns))];
  const most = Math.max(1, Math.min(maxInputRows, size.rows - status.length - 1));
  const first = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most));
  const shown = rows.slice(first, first + most);
  const input = shown.map((row, i) => (first + i === 0 ? style.prompt(prompt) : '') + row);
  return {
    rows: [...status, ...input],
    cursor: { row: status.length + cursor.row - first, column: cursor.column },
  };
}

/** Typed characters in rows; the first row leaves room for the prompt, later lines of the text are indented like it. */
function wrapped(
  { line, cursor }: FooterParts,
  indent: number,
  columns: number,
): { rows: string[]; cursor: { row: number; column: number } } {
  const rows = [''];
  let column = indent;
  let at: { row: number; column: number } | null = null;
  const newRow = (from: number) => {
    rows.push(' '.repeat(from));
    column = from;
  };
  for (let i = 0; i < line.length; ) {
    const character = String.fromCodePoint(line.codePointAt(i) ?? 0);
    if (i >= cursor) at ??= { row: rows.length - 1, column };
    i += character.length;
    if (character === '\n') {
      newRow(indent);
      continue;
    }
    const shown = character === '\t' ? '  ' : printable(character);
    for (const piece of shown) {
      if (column + widthOf(piece) > columns) newRow(0);
      rows[rows.length - 1] += piece;
      column += widthOf(piece);
    }
  }
  at ??= { row: rows.length - 1, column };
  return { rows, cursor: at };
}
