import { printable } from '../../../text/wording.ts';
import { styled, type Text } from '../../terminal/styled.ts';
import { clipped, textWidth, widthOf } from '../../terminal/text-width.ts';
import type { Footer } from './live-screen.ts';

/** The content of the footer. */
interface FooterParts {
  /** The end of an answer that is not complete: as many of its last rows as there is room for. */
  tail?: string;
  /** Current activity, in one row; null without one. */
  status: string | null;
  prompt: string;
  /** The typed text, with its line ends. */
  line: string;
  /** Cursor position in `line`, in UTF-16 units. */
  cursor: number;
}

interface Size {
  columns: number;
  rows: number;
}

/** Maximum input rows: more would push the conversation off the screen. */
const maxInputRows = 10;
/** Maximum rows of an answer that is not complete. */
export const maxTailRows = 10;

/**
 * Lays out an answer's tail, status, prompt and input line in rows that fit the screen. Of a line with too many rows it shows those around
 * the cursor.
 */
export function layOut(parts: FooterParts, size: Size): Footer {
  // The last column stays free: a cursor behind a full row is on no definite row.
  const columns = Math.max(1, size.columns - 1);
  const prompt = textWidth(parts.prompt) < columns - 1 ? parts.prompt : '';
  const { rows, cursor } = wrapped(parts, textWidth(prompt), columns);
  const status = parts.status === null ? [] : [styled('dim', clipped(printable(parts.status), columns))];
  const maxRows = Math.max(1, Math.min(maxInputRows, size.rows - status.length - 1));
  const first = Math.max(0, Math.min(cursor.row - maxRows + 1, rows.length - maxRows));
  const shown = rows.slice(first, first + maxRows);
  const input = shown.map((row, i): Text => (first + i === 0 ? [styled('cyan', prompt), row] : row));
  const room = Math.max(0, Math.min(maxTailRows, size.rows - status.length - input.length - 1));
  const tail = tailRows(parts.tail ?? '', columns, room);
  return {
    rows: [...tail, ...status, ...input],
    cursor: { row: tail.length + status.length + cursor.row - first, column: cursor.column },
  };
}

function tailRows(tail: string, columns: number, room: number): string[] {
  if (tail === '' || room === 0) return [];
  const end = tail.slice(-columns * room).toWellFormed();
  return wrapped({ line: end, cursor: 0 }, 0, columns).rows.slice(-room);
}

/** The typed text in rows. The first row leaves room for the prompt; later lines are indented by the same width. */
function wrapped(
  { line, cursor }: Pick<FooterParts, 'line' | 'cursor'>,
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
