import { createInterface, type Interface } from 'node:readline';
import type { Asked, Io } from '../../terminal/io.ts';
import type { Text } from '../../terminal/styled.ts';
import type { ChatConsole, ConsoleListener } from './console.ts';

/** A terminal that can only print and read lines. */
export class PlainConsole implements ChatConsole {
  readonly #listener: ConsoleListener;
  readonly #io: Io;
  readonly #lines: Interface;
  readonly #stopListening: () => void;
  #isAtLineStart = true;
  #isBusy = false;
  #question: ((asked: Asked) => void) | null = null;

  constructor(listener: ConsoleListener, io: Io) {
    this.#listener = listener;
    this.#io = io;
    this.#lines = createInterface({ input: io.stdin, terminal: false });
    this.#lines.on('line', (line) => {
      this.#isAtLineStart = true;
      if (!this.#answer({ line })) listener.line(line);
    });
    this.#lines.on('close', () => {
      this.#answer({ end: 'left' });
      listener.left();
    });
    this.#stopListening = io.onInterrupt(this.#interrupted);
  }

  words(text: string): void {
    if (text === '') return;
    this.#io.out(text);
    this.#isAtLineStart = text.endsWith('\n');
  }

  freshLine(): void {
    if (!this.#isAtLineStart) this.#io.out('\n');
    this.#isAtLineStart = true;
  }

  note(text: string): void {
    this.show(text);
  }

  show(text: Text): void {
    this.freshLine();
    this.#io.stderr.write([text, '\n']);
  }

  status(text: string | null): void {
    this.#isBusy = text !== null;
  }

  prompt(text: string): void {
    // It may stand there already.
    if (!this.#isBusy && this.#isAtLineStart) this.#write(text);
  }

  /** This terminal cannot edit a prefilled line, so it shows the text above the question. */
  ask(question: string, prefilled = ''): Promise<Asked> {
    if (prefilled !== '') this.note(prefilled);
    this.freshLine();
    this.#write(question);
    return new Promise((resolve) => {
      this.#question = resolve;
    });
  }

  withdraw(): void {
    this.#answer({ end: 'withdrawn' });
  }

  remember(): void {}

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#lines.pause();
    try {
      return await this.#io.lend(work);
    } finally {
      this.#lines.resume();
    }
  }

  close(): void {
    this.#stopListening();
    this.#lines.removeAllListeners();
    this.#lines.close();
    this.freshLine();
  }

  readonly #interrupted = () => {
    this.#io.stderr.write('\n');
    this.#isAtLineStart = true;
    if (!this.#answer({ end: 'interrupted' })) this.#listener.interrupt('');
  };

  #answer(asked: Asked): boolean {
    const question = this.#question;
    this.#question = null;
    question?.(asked);
    return question !== null;
  }

  #write(text: string): void {
    this.#io.stderr.write(text);
    this.#isAtLineStart = text === '';
  }
}
