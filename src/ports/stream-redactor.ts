/** Redacts known secrets in streamed text, even secrets split over several pieces. */
export class StreamRedactor {
  readonly #secrets: readonly string[];
  readonly #redact: (text: string) => string;
  #held = '';

  constructor(secrets: readonly string[], redact: (text: string) => string) {
    this.#secrets = secrets;
    this.#redact = redact;
  }

  /** The text that is safe now: everything except an end that may begin a secret. */
  push(piece: string): string {
    const text = this.#redact(this.#held + piece);
    const held = Math.max(0, ...this.#secrets.map((secret) => overlap(text, secret)));
    this.#held = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }

  /** At the end of the stream, the text that was held back. */
  flush(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }
}

/** Length of the longest end of `text` that is a beginning of `secret`. */
function overlap(text: string, secret: string): number {
  const last = text.at(-1);
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (secret[length - 1] === last && text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
