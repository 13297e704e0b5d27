import { stripVTControlCharacters } from 'node:util';
import { textWidth, widthOf } from '../../terminal/text-width.ts';

/** The rows below the output, which fit the screen, and the cursor position in them. */
export interface Footer {
  rows: readonly string[];
  cursor: { row: number; column: number };
}

/** The stream of the terminal; `columns` is missing or 0 when unknown. */
export interface ScreenOutput {
  readonly columns?: number;
  write(text: string): unknown;
}

const tabStop = 8;
const escapeKey = '\u001b';
const csi = `${escapeKey}[`;
// A capturing group, so that `split` keeps the colour sequences.
const colour = new RegExp(`(${escapeKey}\\[[\\d;]*m)`);

/**
 * Output that streams above a footer.
 *
 * It tracks the column in which the output ends, so that a line may arrive in pieces: it erases the footer, writes the
 * piece where the line ended, and draws the footer again below. Text may contain no control characters except `\n`, `\t`
 * and colours.
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

  /** Writes a piece of output above the footer. */
  write(text: string): void {
    if (text === '') return;
    const footer = this.#drawn;
    let bytes = this.#erased();
    const rest = this.#isLineEndMade && text.startsWith('\n') ? text.slice(1) : text;
    this.#isLineEndMade = false;
    bytes += this.#follow(rest);
    if (footer) bytes += this.#drawing(footer);
    this.#output.write(bytes);
  }

  /** Sets the footer; null removes it. */
  show(footer: Footer | null): void {
    if (footer && this.#drawn && isSame(this.#drawn, footer) && this.#drawn.columns === this.columns) return;
    const bytes = this.#erased() + (footer ? this.#drawing(footer) : '');
    if (bytes !== '') this.#output.write(bytes);
  }

  /** Clears the screen and the tracked position. */
  clear(): void {
    this.#column = 0;
    this.#isLineEndMade = false;
    this.#drawn = null;
    this.#output.write(`${csi}H${csi}2J`);
  }

  /** Redraws after a change of the terminal's width, which may have rewrapped the drawn rows. */
  resized(): void {
    const isWhole = this.#isOneRow && this.#column < this.columns;
    if (this.#drawn && !isWhole) this.#column = 0;
  }

  #erased(): string {
    const drawn = this.#drawn;
    this.#drawn = null;
    if (!drawn) return '';
    const up = rowsAbove(drawn, this.columns);
    let bytes = `\r${up > 0 ? `${csi}${up}A` : ''}${csi}J`;
    if (this.#column > 0) bytes += `${csi}1A${csi}${this.#column + 1}G`;
    return bytes;
  }

  #drawing(footer: Footer): string {
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
      isBelow ? '\r\n' : '',
      rows.join('\r\n'),
      up > 0 ? `${csi}${up}A` : '',
      `${csi}${cursor.column + 1}G`,
    ].join('');
  }

  /** Tracks where the text ends. Returns the text, with tabs at the right edge replaced by spaces: terminals differ there. */
  #follow(text: string): string {
    const parts = text.split(colour);
    return parts.map((part, i) => (i % 2 === 1 ? part : this.#followPlain(part))).join('');
  }

  #followPlain(text: string): string {
    const { columns } = this;
    let bytes = '';
    for (const character of text) {
      const width = widthOf(character);
      if (character === '\n') {
        this.#column = 0;
        this.#isOneRow = true;
        bytes += '\r\n';
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
    return bytes;
  }
}

/** Rows above the cursor; a row that was drawn on a wider screen may now take several. */
function rowsAbove({ rows, cursor, columns: before }: Footer & { columns: number }, columns: number): number {
  if (columns >= before) return cursor.row;
  const taken = (row: string) => Math.max(1, Math.ceil(textWidth(withoutColours(row)) / columns));
  const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + taken(row), 0);
  return above + Math.floor(cursor.column / columns);
}

function isSame(a: Footer, b: Footer): boolean {
  return (
    a.cursor.row === b.cursor.row &&
    a.cursor.column === b.cursor.column &&
    a.rows.length === b.rows.length &&
    a.rows.every((row, i) => row === b.rows[i])
  );
}

function withoutColours(text: string): string {
  return text.includes(csi) ? stripVTControlCharacters(text) : text;
}
