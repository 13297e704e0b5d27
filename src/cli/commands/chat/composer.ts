/** Collects the lines of one message: a line that ends in a backslash continues on the next line. */
export class Composer {
  #lines: string[] = [];

  /** Whether a message is incomplete. */
  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  /** Adds a line; returns the message when it is complete, else null. */
  push(line: string): string | null {
    if (line.endsWith('\\')) {
      this.#lines.push(line.slice(0, -1));
      return null;
    }
    const message = [...this.#lines, line].join('\n');
    this.#lines = [];
    return message;
  }

  /** Discards an incomplete message; returns its text, or null without one. */
  drop(): string | null {
    const begun = this.#lines.length > 0 ? this.#lines.join('\n') : null;
    this.#lines = [];
    return begun;
  }
}
