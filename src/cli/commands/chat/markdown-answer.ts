import type { Text } from '../../terminal/styled.ts';

/** Renders Markdown for a terminal of this width. */
export type RenderMarkdown = (source: string, columns: number) => Text;

// A fence may stand in a quote or a list item.
const opening = /^[\s>]*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})/;
const closing = /^[\s>]*(`{3,}|~{3,})\s*$/;

/**
 * A streamed answer in Markdown. A block is rendered when the next one begins: behind an empty line, with a line that is
 * not indented, outside of a fence. What is not complete yet is the tail.
 */
export class MarkdownAnswer {
  readonly #render: RenderMarkdown;
  /** The lines of the block that is not complete, and the beginning of its next line. */
  #lines: string[] = [];
  #line = '';
  /** The fence of the code block that is open. */
  #fence: string | null = null;
  #hasBlocks = false;

  constructor(render: RenderMarkdown) {
    this.#render = render;
  }

  /** Takes more words. Returns the blocks that they complete, as whole lines; `''` for none. */
  push(words: string, columns: number): Text {
    const blocks: Text[] = [];
    for (const [i, piece] of words.split('\n').entries()) {
      if (i > 0) this.#endLine();
      if (this.#line === '' && /^\S/.test(piece) && this.#isComplete()) blocks.push(this.#block(columns));
      this.#line += piece;
    }
    return blocks.length === 0 ? '' : blocks;
  }

  /** Ends the answer. Returns what is left of it, as whole lines; `''` for nothing. */
  end(columns: number): Text {
    this.#endLine();
    const rest = this.#block(columns);
    this.#fence = null;
    this.#hasBlocks = false;
    return rest;
  }

  /** The last lines of what is not complete, as they came. */
  tail(maxLines: number): string {
    return [...this.#lines.slice(-maxLines), this.#line].join('\n').trimEnd();
  }

  #isComplete(): boolean {
    return this.#fence === null && this.#lines.at(-1)?.trim() === '';
  }

  #endLine(): void {
    const line = this.#line;
    this.#lines.push(line);
    this.#line = '';
    if (this.#fence === null) this.#fence = opening.exec(line)?.[1] ?? null;
    else if (closing.exec(line)?.[1]?.startsWith(this.#fence)) this.#fence = null;
  }

  #block(columns: number): Text {
    const source = this.#lines.join('\n');
    this.#lines = [];
    if (source.trim() === '') return '';
    const between = this.#hasBlocks ? '\n' : '';
    this.#hasBlocks = true;
    return [between, this.#render(source, columns), '\n'];
  }
}
