/** Input of a terminal: keys, or a complete pasted text. */
export type Typed = { keys: string } | { paste: string };

const start = '\u001b[200~';
const end = '\u001b[201~';

/** Separates pasted text from keys; the marks may be split across pieces of input. */
export class PasteFilter {
  #held = '';
  #pasted: string | null = null;

  push(text: string): Typed[] {
    const typed: Typed[] = [];
    let rest = this.#held + text;
    this.#held = '';
    for (;;) {
      const mark = this.#pasted === null ? start : end;
      const at = rest.indexOf(mark);
      if (at < 0) break;
      this.#take(rest.slice(0, at), typed);
      if (this.#pasted === null) this.#pasted = '';
      else {
        typed.push({ paste: this.#pasted.replaceAll(/\r\n?/g, '\n') });
        this.#pasted = null;
      }
      rest = rest.slice(at + mark.length);
    }
    // A lone escape has no meaning of its own here, so it may wait for the next key.
    const held = overlap(rest, this.#pasted === null ? start : end);
    this.#held = rest.slice(rest.length - held);
    this.#take(rest.slice(0, rest.length - held), typed);
    return typed;
  }

  #take(text: string, typed: Typed[]): void {
    if (this.#pasted !== null) this.#pasted += text;
    else if (text !== '') typed.push({ keys: text });
  }
}

/** Length of the longest suffix of `text` that is a prefix of `mark`. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
