import type { RE2JS } from 're2js';

export interface FoundLine {
  /** From 1. */
  number: number;
  text: string;
  /** False for a line of context. */
  isMatch: boolean;
}

export interface SearchOptions {
  /** Lines shown before and after each match. */
  context: number;
  /** Maximum number of matching lines. */
  limit: number;
  /** Characters shown of one line. */
  maxLineChars: number;
  signal: AbortSignal;
}

/** Size of one piece of work; between two pieces the search yields to the event loop. */
const pieceChars = 256 * 1024;

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
    const end = endOfPiece(content, at);
    search.take(content.slice(at, end));
    at = end;
    if (at < content.length) await new Promise((resolve) => setImmediate(resolve));
  }
  return search.found;
}

class Search {
  readonly found: FoundLine[] = [];
  readonly #expression: RE2JS;
  readonly #options: SearchOptions;
  #before: FoundLine[] = [];
  #matches = 0;
  #after = 0;
  #number = 0;

  constructor(expression: RE2JS, options: SearchOptions) {
    this.#expression = expression;
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#matches >= this.#options.limit && this.#after === 0;
  }

  /** Takes the next lines, whole ones. */
  take(piece: string): void {
    const lines = piece.replace(/\n$/, '').split('\n');
    const { context, limit } = this.#options;
    if (this.#matches < limit && this.#expression.test(piece)) {
      for (const line of lines) this.#line(line);
      return;
    }
    const last = lines.length - context;
    // No match in this piece: only context of matches in the neighbouring pieces is needed.
    for (const [i, line] of lines.entries()) {
      if (this.#after > 0 || i >= last) this.#contextLine(line);
      else this.#number += 1;
    }
  }

  #line(line: string): void {
    const { context, limit, maxLineChars } = this.#options;
    const matcher = this.#matches < limit ? this.#expression.matcher(line) : null;
    if (!matcher?.find()) {
      this.#contextLine(line);
      return;
    }
    this.#number += 1;
    this.#matches += 1;
    this.#after = context;
    const text = excerpt(line, matcher.start(), maxLineChars);
    this.found.push(...this.#before, { number: this.#number, text, isMatch: true });
    this.#before = [];
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
  const at = content.indexOf('\n', from + pieceChars);
  return at === -1 ? content.length : at + 1;
}

/** An excerpt of a long line, around the match. */
function excerpt(line: string, at: number, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const from = Math.max(0, Math.min(at - Math.floor(maxChars / 4), line.length - maxChars));
  const part = line.slice(from, from + maxChars).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + maxChars < line.length ? '…' : ''}`;
}
