import type { OutputStream } from './sandbox.ts';

/** Characters of an output that are kept from its beginning and from its end. */
interface KeptChars {
  head: number;
  tail: number;
}

/** Together below the 50,000 characters above which the agent stores an output separately and shows only a preview. */
const keptChars: KeptChars = { head: 10_000, tail: 20_000 };

/**
 * The output of a command as a model reads it: both streams in order of arrival, with each line of stderr marked. Of a
 * long output it keeps the beginning and the end, and holds no more than that in memory.
 */
export class CommandOutput {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #kept: KeptChars;
  #isLineStart = true;
  #last: OutputStream = 'stdout';
  #head = '';
  #tail: string[] = [];
  #tailChars = 0;
  #leftOut = 0;

  constructor(kept: KeptChars = keptChars) {
    this.#kept = kept;
  }

  write(stream: OutputStream, bytes: Uint8Array): void {
    this.#label(stream, textual(this.#decoders[stream].decode(bytes, { stream: true })));
  }

  /** The bytes of an incomplete character at the end of the stream. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) this.#label(stream, this.#decoders[stream].decode());
  }

  /** The output since the last call. */
  take(): string {
    const tail = this.#tail.join('');
    const end = tail.slice(Math.max(0, tail.length - this.#kept.tail));
    const leftOut = this.#leftOut + tail.length - end.length;
    const text =
      leftOut === 0
        ? this.#head + end
        : `${this.#head}\n[… ${leftOut.toLocaleString('en')} characters are left out here …]\n${end}`;
    this.#head = '';
    this.#tail = [];
    this.#tailChars = 0;
    this.#leftOut = 0;
    // The cut may be in the middle of a character.
    return text.toWellFormed();
  }

  #label(stream: OutputStream, text: string): void {
    if (text === '') return;
    const switched = stream !== this.#last && !this.#isLineStart;
    const starts = this.#isLineStart || switched;
    const mark = stream === 'stderr' ? '[stderr] ' : '';
    const lines = mark === '' ? text : text.replaceAll(/\n(?!$)/g, `\n${mark}`);
    this.#keep(`${switched ? '\n' : ''}${starts ? mark : ''}${lines}`);
    this.#isLineStart = text.endsWith('\n');
    this.#last = stream;
  }

  #keep(text: string): void {
    const room = this.#leftOut + this.#tailChars === 0 ? this.#kept.head - this.#head.length : 0;
    this.#head += text.slice(0, room);
    const rest = text.slice(room);
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailChars += rest.length;
    while (this.#tail.length > 1 && this.#tailChars - (this.#tail[0]?.length ?? 0) >= this.#kept.tail) {
      const dropped = this.#tail.shift()?.length ?? 0;
      this.#tailChars -= dropped;
      this.#leftOut += dropped;
    }
  }
}

/** Replaces NUL: it is valid UTF-8, but databases and terminals fail on it. */
function textual(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}
