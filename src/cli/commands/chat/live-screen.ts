import { printable } from '../../../text/wording.ts';
import { Control, mapped, plainText, rendered, type Text } from '../../terminal/styled.ts';
import { textWidth, widthOf } from '../../terminal/text-width.ts';

/** The rows below the output, which fit the screen, and the cursor position in them. */
export interface Footer {
  rows: readonly Text[];
  cursor: { row: number; column: number };
}

/** The stream of the terminal; `columns` is missing or 0 when unknown. */
interface ScreenOutput {
  readonly columns?: number;
  write(text: Text): unknown;
}

const tabStop = 8;

/**
 * Output that streams above a footer.
 *
 * It tracks the column in which the output ends, so that a line may arrive in pieces: it erases the footer, writes the
 * piece where the line ended, and draws the footer again below.
 */
export class LiveScreen {
  readonly #output: ScreenOutput;
  /** Column in which the output ends; equals the width when the last row is full and the next has not begun. */
  #column = 0;
  /** Whether the output's last line began on the row on which it ends. */
  #isOneRow = true;
  /** Whether the full last row was left to draw the footer below it, so that its line end is made already. */
  #isLineEndMade = false;
  #drawn: (Footer & { columns: number }) | null = null;

  constructor(output: ScreenOutput) {
    this.#output = output;
  }

  get columns(): number {
    return this.#output.columns || 80;
  }

  /** Whether the output ends with a whole line. */
  get isAtLineStart(): boolean {
    return this.#column === 0;
  }

  /** Writes a piece of output above the footer. @param next replaces the footer, where there is one. */
  write(text: Text, next: Footer | null = this.#drawn): void {
    const words = plainText(text);
    const footer = this.#drawn && next;
    if (words === '') {
      this.show(footer);
      return;
    }
    const erased = this.#erased();
    let isMade = this.#isLineEndMade && words.startsWith('\n');
    this.#isLineEndMade = false;
    const written = mapped(text, (piece) => {
      const shown = printable(piece);
      const rest = isMade ? shown.slice(1) : shown;
      if (shown !== '') isMade = false;
      return this.#follow(rest);
    });
    this.#output.write([erased, written, footer ? this.#drawing(footer) : '']);
  }

  /** Sets the footer; null removes it. */
  show(footer: Footer | null): void {
    if (footer && this.#drawn && isSame(this.#drawn, footer) && this.#drawn.columns === this.columns) return;
    if (!footer && !this.#drawn) return;
    this.#output.write([this.#erased(), footer ? this.#drawing(footer) : '']);
  }

  /** Clears the screen and the tracked position. */
  clear(): void {
    this.#column = 0;
    this.#isLineEndMade = false;
    this.#drawn = null;
    this.#output.write(new Control('clear'));
  }

  /** Redraws after a change of the terminal's width, which may have rewrapped the drawn rows. */
  resized(): void {
    const isWhole = this.#isOneRow && this.#column < this.columns;
    if (this.#drawn && !isWhole) this.#column = 0;
  }

  #erased(): Text {
    const drawn = this.#drawn;
    this.#drawn = null;
    if (!drawn) return '';
    const up = rowsAbove(drawn, this.columns);
    return [
      new Control('lineStart'),
      up > 0 ? new Control('up', up) : '',
      new Control('eraseBelow'),
      ...(this.#column > 0 ? [new Control('up'), new Control('column', this.#column + 1)] : []),
    ];
  }

  #drawing(footer: Footer): Text {
    this.#drawn = { ...footer, columns: this.columns };
    const { rows, cursor } = footer;
    const up = rows.length - 1 - cursor.row;
    const isBelow = this.#column > 0;
    if (this.#column >= this.columns) {
      this.#isLineEndMade = true;
      this.#isOneRow = false;
      this.#column = 0;
    }
    return [
      isBelow ? new Control('lineEnd') : '',
      rows.map((row, i) => (i === 0 ? row : [new Control('lineEnd'), row])),
      up > 0 ? new Control('up', up) : '',
      new Control('column', cursor.column + 1),
    ];
  }

  /** Tracks where the text ends. Returns the text, with tabs at the right edge replaced by spaces: terminals differ there. */
  #follow(text: string): Text {
    const { columns } = this;
    const pieces: Text[] = [];
    let bytes = '';
    for (const character of text) {
      const width = widthOf(character);
      if (character === '\n') {
        this.#column = 0;
        this.#isOneRow = true;
        pieces.push(bytes, new Control('lineEnd'));
        bytes = '';
      } else if (character === '\t') {
        const next = (Math.floor(this.#column / tabStop) + 1) * tabStop;
        bytes += next < columns ? '\t' : ' '.repeat(Math.max(0, columns - this.#column));
        this.#column = Math.min(next, columns);
      } else {
        const isFull = this.#column + width > columns;
        if (isFull) this.#isOneRow = false;
        this.#column = isFull ? width : this.#column + width;
        bytes += character;
      }
    }
    return [...pieces, bytes];
  }
}

/** Rows above the cursor; a row that was drawn on a wider screen may now take several. */
function rowsAbove({ rows, cursor, columns: before }: Footer & { columns: number }, columns: number): number {
  if (columns >= before) return cursor.row;
  const taken = (row: Text) => Math.max(1, Math.ceil(textWidth(plainText(row)) / columns));
  const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + taken(row), 0);
  return above + Math.floor(cursor.column / columns);
}

function isSame(a: Footer, b: Footer): boolean {
  return (
    a.cursor.row === b.cursor.row &&
    a.cursor.column === b.cursor.column &&
    a.rows.length === b.rows.length &&
    rendered(a.rows, true) === rendered(b.rows, true)
  );
}
