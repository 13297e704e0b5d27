/** What a terminal sends: keys, or a whole text that was pasted. */
export type Typed = { keys: string } | { paste: string };

const start = '\u001b[200~';
const end = '\u001b[201~';

/** Asks a terminal to mark what is pasted, and to stop doing so. */
export const pasteMarks = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** Tells pasted text from keys; the marks between them may be cut anywhere. */
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
    // A lone escape means nothing here before the next key, so it may wait for that.
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

/** How much of the end of `text` is a beginning of `mark`. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
