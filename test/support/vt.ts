import { textWidth } from '../../src/cli/terminal/text-width.ts';

const escapeKey = '\u001b';
const csi = `${escapeKey}[`;
const pieces = new RegExp(`${escapeKey}\\[[?\\d;]*[A-Za-z]|.`, 'gsu');

interface Row {
  cells: string[];
  /** Whether the text continues in the next row because this one was full. */
  isWrapped: boolean;
}

/**
 * A terminal without a picture: what a person would see of the bytes that it got, rows that have scrolled away
 * included. Knows what the command line sends: cursor moves, erasing, wrapping at the width, wide characters.
 */
export class VirtualTerminal {
  readonly #columns: number;
  readonly #height: number;
  #rows: Row[] = [];
  /** Rows that have scrolled away. */
  #top = 0;
  #row = 0;
  #column = 0;

  constructor(columns = 80, height = 24) {
    this.#columns = columns;
    this.#height = height;
  }

  write(text: string): this {
    for (const piece of text.match(pieces) ?? []) {
      if (piece.startsWith(csi)) this.#obey(piece);
      else if (piece === '\r') this.#column = 0;
      else if (piece === '\n') this.#down();
      else if (piece === '\t') this.#column = Math.min(this.#columns - 1, (this.#column & ~7) + 8);
      else if (piece === '\b') this.#column = Math.max(0, this.#column - 1);
      else if (piece >= ' ') this.#put(piece);
    }
    return this;
  }

  /** Rows as they are, top to bottom, without empty ones at the end. */
  get rows(): string[] {
    const rows = this.#rows.map(({ cells }) => Array.from(cells, (cell) => cell ?? ' ').join(''));
    while (rows.at(-1) === '') rows.pop();
    return rows;
  }

  /** Lines as they were written: rows that were only broken by the width are one. */
  get text(): string {
    const { rows } = this;
    return rows
      .map((row, i) => (this.#rows[i]?.isWrapped || i === rows.length - 1 ? row : `${row}\n`))
      .join('');
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  #put(character: string): void {
    const width = textWidth(character);
    if (width === 0) {
      const { cells } = this.#at(this.#row);
      if (this.#column > 0) cells[this.#column - 1] += character;
      return;
    }
    if (this.#column + width > this.#columns) {
      this.#at(this.#row).isWrapped = true;
      this.#column = 0;
      this.#down();
    }
    const { cells } = this.#at(this.#row);
    while (cells.length < this.#column) cells.push(' ');
    cells[this.#column++] = character;
    if (width === 2) cells[this.#column++] = '';
  }

  #down(): void {
    this.#row++;
    this.#at(this.#row);
    this.#top = Math.max(this.#top, this.#row - this.#height + 1);
  }

  #at(index: number): Row {
    while (this.#rows.length <= index) this.#rows.push({ cells: [], isWrapped: false });
    return this.#rows[index] as Row;
  }

  #obey(sequence: string): void {
    const verb = sequence.at(-1);
    const [first = 0] = sequence.slice(csi.length, -1).replace('?', '').split(';').map(Number);
    const count = Math.max(1, first);
    // A full row is left by the next character, not by moves.
    this.#column = Math.min(this.#column, this.#columns - (verb === 'm' ? 0 : 1));
    if (verb === 'A') this.#row = Math.max(this.#top, this.#row - count);
    else if (verb === 'B') this.#row = Math.min(this.#top + this.#height - 1, this.#row + count);
    else if (verb === 'C') this.#column = Math.min(this.#columns - 1, this.#column + count);
    else if (verb === 'D') this.#column = Math.max(0, this.#column - count);
    else if (verb === 'G') this.#column = Math.min(this.#columns - 1, count - 1);
    else if (verb === 'K') this.#at(this.#row).cells.splice(this.#column);
    else if (verb === 'J' && first === 2) {
      for (const row of this.#rows.slice(this.#top)) row.cells = [];
    } else if (verb === 'J') {
      const row = this.#at(this.#row);
      row.cells.splice(this.#column);
      row.isWrapped = false;
      this.#rows.splice(this.#row + 1);
    } else if (verb === 'H') {
      this.#row = this.#top;
      this.#column = 0;
    } else if (verb !== 'm' && verb !== 'h' && verb !== 'l')
      throw new Error(`this terminal does not know ${JSON.stringify(sequence)}`);
  }
}
