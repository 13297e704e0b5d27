import { Control, styled } from './styled.ts';
import type { Terminal } from './terminal.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 80;

/** An animated status line on a terminal's stderr. */
export class Spinner {
  readonly #stderr: Terminal;
  #frame = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(stderr: Terminal) {
    this.#stderr = stderr;
  }

  start(label: string): void {
    this.stop();
    this.#timer = setInterval(() => this.#draw(label), frameMs);
    this.#timer.unref();
  }

  /** Clears the line. */
  stop(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#stderr.write([new Control('lineStart'), new Control('eraseLineRight')]);
  }

  #draw(label: string): void {
    const frame = frames[this.#frame++ % frames.length];
    const line = styled('dim', `${frame} ${label}`);
    this.#stderr.write([new Control('lineStart'), line, new Control('eraseLineRight')]);
  }
}
