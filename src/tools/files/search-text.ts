import type { RE2JS } from 're2js';
import { Turns } from '../../text/limiter.ts';

export interface FoundLine {
  /** From 1. */
  number: number;
  text: string;
  /** False for a line of context. */
  isMatch: boolean;
}

interface SearchOptions {
  /** Lines shown before and after each match. */
  context: number;
  /** Maximum number of matching lines. */
  limit: number;
  /** Characters shown of one line. */
  maxLineChars: number;
  signal: AbortSignal;
}

/** Characters that the pieces of a long line share. */
const overlapChars = 1024;
const maxPieceChars = 256 * 1024;
/** Characters times instructions of the pattern: RE2 takes 60 ns for each where it must follow all states at once. */
const pieceSteps = 1_000_000;

/** Size of one piece of work; between two pieces the search yields to the event loop. A longer line is searched in such pieces. */
function pieceCharsFor(expression: RE2JS): number {
  const chars = Math.floor(pieceSteps / expression.programSize());
  return Math.max(2 * overlapChars, Math.min(chars, maxPieceChars));
}

/**
 * Finds the lines of a text that match, with context around them.
 *
 * @param expression compiled with `MULTILINE`, because it is tried on pieces of many lines first, which is faster.
 * @returns the lines in order; a jump in their numbers is a gap.
 */
export async function searchText(
  content: string,
  expression: RE2JS,
  options: SearchOptions,
): Promise<FoundLine[]> {
  const search = new Search(expression, options);
  for (let at = 0; at < content.length && !search.isOver; ) {
    options.signal.throwIfAborted();
    const end = endOfPiece(content, at + search.pieceChars);
    await search.take(content.slice(at, end));
    at = end;
  }
  return search.found;
}

class Search {
  readonly found: FoundLine[] = [];
  readonly pieceChars: number;
  readonly #expression: RE2JS;
  readonly #options: SearchOptions;
  readonly #turns = new Turns();
  #before: FoundLine[] = [];
  #matches = 0;
  #after = 0;
  #number = 0;

  constructor(expression: RE2JS, options: SearchOptions) {
    this.#expression = expression;
    this.pieceChars = pieceCharsFor(expression);
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#matches >= this.#options.limit && this.#after === 0;
  }

  /** Takes the next lines, whole ones. */
  async take(piece: string): Promise<void> {
    const lines = piece.replace(/\n$/, '').split('\n');
    const { context, limit } = this.#options;
    if (this.#matches < limit && (await this.#placeIn(piece, this.pieceChars)) !== null) {
      for (const line of lines) await this.#line(line);
      return;
    }
    const last = lines.length - context;
    // No match in this piece: only context of matches in the neighbouring pieces is needed.
    for (const [i, line] of lines.entries()) {
      if (this.#after > 0 || i >= last) this.#contextLine(line);
      else this.#number += 1;
    }
  }

  async #line(line: string): Promise<void> {
    const { context, limit, maxLineChars } = this.#options;
    const place = this.#matches < limit ? await this.#placeIn(line, this.pieceChars) : null;
    if (place === null) {
      this.#contextLine(line);
      return;
    }
    this.#number += 1;
    this.#matches += 1;
    this.#after = context;
    const text = excerpt(
      line,
      line.length > maxLineChars ? await this.#startIn(line, place) : 0,
      maxLineChars,
    );
    this.found.push(...this.#before, { number: this.#number, text, isMatch: true });
    this.#before = [];
  }

  /** Where the first piece with a match begins. RE2 says at once that there is one; to say where takes it 1,000 times as long. */
  async #placeIn(text: string, size: number): Promise<number | null> {
    for (let at = 0; at === 0 || at + overlapChars < text.length; at += size - overlapChars) {
      this.#options.signal.throwIfAborted();
      await this.#turns.next();
      if (this.#expression.test(text.slice(at, at + size))) return at;
    }
    return null;
  }

  /** Where the first match in this piece begins. */
  async #startIn(line: string, place: number): Promise<number> {
    const size = 2 * overlapChars;
    const near = place + ((await this.#placeIn(line.slice(place, place + this.pieceChars), size)) ?? 0);
    const matcher = this.#expression.matcher(line.slice(near, near + size));
    return near + (matcher.find() ? matcher.start() : 0);
  }

  #contextLine(line: string): void {
    const { context, maxLineChars } = this.#options;
    this.#number += 1;
    if (context === 0) return;
    const shown = { number: this.#number, text: excerpt(line, 0, maxLineChars), isMatch: false };
    if (this.#after > 0) {
      this.#after -= 1;
      this.found.push(shown);
      return;
    }
    this.#before.push(shown);
    if (this.#before.length > context) this.#before.shift();
  }
}

function endOfPiece(content: string, from: number): number {
  const at = content.indexOf('\n', from);
  return at === -1 ? content.length : at + 1;
}

/** An excerpt of a long line, around the match. */
function excerpt(line: string, at: number, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const from = Math.max(0, Math.min(at - Math.floor(maxChars / 4), line.length - maxChars));
  const part = line.slice(from, from + maxChars).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + maxChars < line.length ? '…' : ''}`;
}
