import type { Output } from './io.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 80;

/** An animated status line on a terminal's stderr. */
export class Spinner {
  readonly #stderr: Output;
  readonly #dim: (text: string) => string;
  #frame = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(stderr: Output, dim: (text: string) => string) {
    this.#stderr = stderr;
    this.#dim = dim;
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
    this.#stderr.write('\r\u001b[K');
  }

  #draw(label: string): void {
    const frame = frames[this.#frame++ % frames.length];
    this.#stderr.write(`\r${this.#dim(`${frame} ${label}`)}\u001b[K`);
  }
}
