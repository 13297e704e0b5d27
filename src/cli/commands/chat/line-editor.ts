import { createInterface, type Interface, type Key } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { PasteFilter, type Typed } from './paste-filter.ts';

/** What the editor tells of. */
export interface EditorListener {
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
}

// Readline takes a line end for Enter. In the line being edited a code point stands for it that no text may hold.
const lineEnd = '\ufdd0';
const endOfInput = '\u0004';
const afterEnter = /(?<=\r\n|\r(?!\n)|(?<!\r)\n)/;

/**
 * Edits one line with Node's readline (its keys, its history), and draws nothing: whoever owns the screen does.
 *
 * A pasted text is put into the line as it is, line ends included.
 */
export class LineEditor {
  readonly #listener: EditorListener;
  readonly #paste = new PasteFilter();
  readonly #keys = new Keys();
  readonly #readline: Interface;
  /** What was typed and has not been looked at. */
  readonly #ahead: Typed[] = [];
  #isHeld = false;
  #history: string[];
  /** Readline's own list, once it has shown it. */
  #searched: string[] | null = null;

  constructor(listener: EditorListener, history: readonly string[], complete: (line: string) => string[]) {
    this.#listener = listener;
    this.#history = history.map(encoded);
    this.#readline = createInterface({
      input: this.#keys,
      output: new Nowhere(),
      terminal: true,
      historySize: Math.max(1_000, history.length * 2),
      history: [...this.#history],
      completer: (line: string) => [complete(line), line],
    });
    this.#readline.on('history', (history) => {
      this.#searched = history;
    });
    this.#readline.on('line', (line) => {
      // What is remembered is decided by whoever knows what the line was for.
      this.#remember();
      listener.line(decoded(line));
      this.#hold();
    });
    this.#readline.on('SIGINT', () => listener.interrupt());
    this.#readline.on('SIGTSTP', () => listener.suspend());
    this.#keys.on('keypress', (_: string | undefined, key: Key) => {
      if (key.ctrl && key.name === 'l') listener.clear();
      else listener.changed();
    });
  }

  get text(): string {
    return decoded(this.#readline.line);
  }

  /** In UTF-16 units of {@link text}. */
  get cursor(): number {
    return this.#readline.cursor;
  }

  /**
   * Takes what the terminal sent. What comes behind an Enter is looked at a turn of the event loop later: the line may
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
    this.#listener.changed();
  }

  /** Puts another text into the line; answers the one that was there. */
  replace(text: string): string {
    const before = this.text;
    this.#readline.write(null as never, { ctrl: true, name: 'e' });
    this.#readline.write(null as never, { ctrl: true, name: 'u' });
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
    // Readline would close itself.
    const [first = '', ...others] = keys.split(endOfInput);
    if (first !== '') this.#keys.emit('data', first);
    for (const part of others) {
      if (this.#readline.line === '') this.#listener.left();
      else this.#keys.emit('data', endOfInput);
      if (part !== '') this.#keys.emit('data', part);
    }
  }

  #remember(): void {
    this.#searched?.splice(0, this.#searched.length, ...this.#history);
  }
}

/** A stream that gives what it is told to give, at once. */
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
