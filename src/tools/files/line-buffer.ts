import { isUtf8 } from 'node:buffer';

export interface EndedLine {
  /** With its line end. */
  text: string;
  bytes: number;
  cut: boolean;
  crlf: boolean;
  utf8: boolean;
}

const carriageReturn = 0x0d;
const newline = 0x0a;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Collects the bytes of one line, and keeps only as many as can be shown. */
export class LineBuffer {
  readonly #maxChars: number;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #kept = 0;
  #seen = 0;
  #tail: readonly [number, number] = [0, 0];

  /** @param maxChars UTF-16 units that are shown of one line, its end not counted. */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
    // The maximum UTF-8 length of that many units, and a line end.
    this.#maxBytes = maxChars * 4 + 2;
  }

  /** Adds a copy: the caller reads the next chunk into the same memory. */
  add(part: Buffer): void {
    this.#seen += part.length;
    this.#tail = [part.at(-2) ?? this.#tail[1], part.at(-1) ?? this.#tail[1]];
    const wanted = part.subarray(0, this.#maxBytes - this.#kept);
    if (wanted.length === 0) return;
    this.#parts.push(Buffer.from(wanted));
    this.#kept += wanted.length;
  }

  /** Ends the line and starts the next. */
  end(): EndedLine {
    const kept = Buffer.concat(this.#parts);
    const whole = this.#kept === this.#seen;
    const crlf = this.#tail[1] === newline && this.#tail[0] === carriageReturn;
    const lineEnd = this.#tail[1] !== newline ? '' : crlf ? '\r\n' : '\n';
    const decoded = decoder.decode(kept);
    const body = whole ? decoded.slice(0, decoded.length - lineEnd.length) : decoded;
    const cut = !whole || body.length > this.#maxChars;
    const ended = {
      text: (cut ? beginning(body, this.#maxChars) : body) + lineEnd,
      bytes: this.#kept,
      cut,
      crlf,
      // A line that was not kept whole may end inside a character.
      utf8: !whole || isUtf8(kept),
    };
    this.#parts = [];
    this.#kept = 0;
    this.#seen = 0;
    this.#tail = [0, 0];
    return ended;
  }
}

/** Cut between characters, never inside a surrogate pair. */
function beginning(text: string, maxChars: number): string {
  const last = text.charCodeAt(maxChars - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? maxChars - 1 : maxChars);
}
