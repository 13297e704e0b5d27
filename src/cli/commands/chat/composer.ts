/** Puts the lines of one message together: a line that ends in a backslash goes on in the next. */
export class Composer {
  #lines: string[] = [];

  /** Whether a message has begun and waits for its next line. */
  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  /** Takes a line; answers the whole message with its last one, else null. */
  push(line: string): string | null {
    if (line.endsWith('\\')) {
      this.#lines.push(line.slice(0, -1));
      return null;
    }
    const message = [...this.#lines, line].join('\n');
    this.#lines = [];
    return message;
  }

  /** Gives up what has begun; answers it, or null when there is nothing. */
  drop(): string | null {
    const begun = this.#lines.length > 0 ? this.#lines.join('\n') : null;
    this.#lines = [];
    return begun;
  }
}
