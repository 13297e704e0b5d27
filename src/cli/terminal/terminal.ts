import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { rendered, type Text } from './styled.ts';

export type Output = Writable & {
  isTTY?: boolean;
  /** Missing or 0 when unknown. */
  columns?: number;
  rows?: number;
  getColorDepth?(env?: Readonly<Record<string, string | undefined>>): number;
};

/**
 * The only way of a command to stdout or stderr. It escapes all text, on a terminal as in a pipe or file, which may be
 * shown on a terminal later.
 */
export class Terminal {
  readonly #stream: Output;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #isColourRefused = false;

  constructor(stream: Output, env: Readonly<Record<string, string | undefined>>) {
    this.#stream = stream;
    this.#env = env;
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Undefined when unknown. */
  get columns(): number | undefined {
    return this.#stream.columns || undefined;
  }

  /** Undefined when unknown. */
  get rows(): number | undefined {
    return this.#stream.rows || undefined;
  }

  /** Bits per colour; 1 means no colours. */
  get colorDepth(): number {
    return (this.isTTY && !this.#isColourRefused && this.#stream.getColorDepth?.(this.#env)) || 1;
  }

  /** Whether the reader has closed it. */
  get isClosed(): boolean {
    return this.#stream.destroyed;
  }

  /** Writes without colours from now on. */
  refuseColours(): void {
    this.#isColourRefused = true;
  }

  /** Returns whether there is room for more; {@link drained} waits for it. */
  write(text: Text): boolean {
    return this.#stream.write(rendered(text, this.colorDepth > 2));
  }

  /** Resolves when there is room again, or the reader has closed it. */
  async drained(): Promise<void> {
    // A reader that closed the pipe never drains it.
    await Promise.race([once(this.#stream, 'drain'), once(this.#stream, 'close')]).catch(() => {});
  }

  /** Calls `listener` when the terminal has another size; returns a function that ends that. */
  onResize(listener: () => void): () => void {
    this.#stream.on('resize', listener);
    return () => void this.#stream.off('resize', listener);
  }

  /** Drops everything that the process writes here, until the returned function is called. */
  mute(): () => void {
    const write = this.#stream.write.bind(this.#stream);
    this.#stream.write = () => true;
    return () => {
      this.#stream.write = write;
    };
  }
}
