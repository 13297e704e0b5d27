import { createInterface, type Interface, type Key } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { PasteFilter, type Typed } from './paste-filter.ts';

/** Whose line it is: what its keys do. */
export interface LineOwner {
  /** Enter was pressed; the line is empty again. */
  line(text: string): void;
  /** Ctrl-C. */
  interrupt(): void;
  /** Ctrl-D on an empty line. */
  left(): void;
  /** Ctrl-Z. */
  suspend(): void;
  /** Ctrl-L. */
  clear(): void;
  /** The line or its cursor may have changed. */
  changed(): void;
  /** What Tab offers for the line. */
  completions(line: string): string[];
}

// Readline takes a line end for Enter, so the edited line holds a noncharacter code point instead.
const lineEnd = '\ufdd0';
const endOfInput = '\u0004';
const afterEnter = /(?<=\r\n|\r(?!\n)|(?<!\r)\n)/;

/**
 * Edits one line with Node's readline (its keys, its history). Its owner draws it.
 *
 * Inserts pasted text unchanged, line ends included.
 */
export class LineEditor {
  readonly #owner: LineOwner;
  readonly #paste = new PasteFilter();
  readonly #keys = new Keys();
  readonly #readline: Interface;
  /** Input that has not been processed yet. */
  readonly #ahead: Typed[] = [];
  #isHeld = false;
  #history: string[];
  /** Readline's own history array, once readline has passed it to a owner. */
  #searched: string[] | null = null;

  constructor(owner: LineOwner, history: readonly string[]) {
    this.#owner = owner;
    this.#history = history.map(encoded);
    this.#readline = createInterface({
      input: this.#keys,
      output: new Nowhere(),
      terminal: true,
      historySize: Math.max(1_000, history.length * 2),
      history: [...this.#history],
      completer: (line: string) => [owner.completions(line), line],
    });
    this.#readline.on('history', (history) => {
      this.#searched = history;
    });
    this.#readline.on('line', (line) => {
      // The owner decides what to remember, since it knows whether the line was a message or an answer.
      this.#remember();
      owner.line(decoded(line));
      this.#hold();
    });
    this.#readline.on('SIGINT', () => owner.interrupt());
    this.#readline.on('SIGTSTP', () => owner.suspend());
    this.#keys.on('keypress', (_: string | undefined, key: Key) => {
      if (key.ctrl && key.name === 'l') owner.clear();
      else owner.changed();
    });
  }

  get text(): string {
    return decoded(this.#readline.line);
  }

  /** Cursor position in {@link text}, in UTF-16 units. */
  get cursor(): number {
    return this.#readline.cursor;
  }

  /**
   * Processes input of the terminal. Input after an Enter waits for the next turn of the event loop, because the line may
   * have been an answer that leads to another question.
   */
  push(data: string): void {
    for (const typed of this.#paste.push(data))
      if ('paste' in typed) this.#ahead.push(typed);
      else for (const keys of typed.keys.split(afterEnter)) this.#ahead.push({ keys });
    this.#look();
  }

  insert(text: string): void {
    if (text !== '') this.#readline.write(encoded(text));
    this.#owner.changed();
  }

  /** Replaces the text of the line; returns the previous text. */
  replace(text: string): string {
    const before = this.text;
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#readline.write(null, { ctrl: true, name: 'u' });
    this.insert(text);
    return before;
  }

  /** Sets what the arrow keys bring back, newest first. */
  set history(entries: readonly string[]) {
    this.#history = entries.map(encoded);
    this.#remember();
  }

  close(): void {
    this.#readline.close();
  }

  #look(): void {
    while (!this.#isHeld) {
      const typed = this.#ahead.shift();
      if (!typed) return;
      if ('paste' in typed) this.insert(typed.paste);
      else this.#press(typed.keys);
    }
  }

  #hold(): void {
    this.#isHeld = true;
    setImmediate(() => {
      this.#isHeld = false;
      this.#look();
    });
  }

  #press(keys: string): void {
    // Readline would close itself on this key.
    const [first = '', ...others] = keys.split(endOfInput);
    if (first !== '') this.#keys.emit('data', first);
    for (const part of others) {
      if (this.#readline.line === '') this.#owner.left();
      else this.#keys.emit('data', endOfInput);
      if (part !== '') this.#keys.emit('data', part);
    }
  }

  #remember(): void {
    this.#searched?.splice(0, this.#searched.length, ...this.#history);
  }
}

/** A stream that emits the given data synchronously. */
class Keys extends Readable {
  override _read(): void {}
}

class Nowhere extends Writable {
  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }
}

function encoded(text: string): string {
  return text.replaceAll('\n', lineEnd);
}

function decoded(line: string): string {
  return line.replaceAll(lineEnd, '\n');
}
