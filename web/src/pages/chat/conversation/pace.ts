/** Text is shown at most so long after it came. */
export const maxBehindMs = 400;
/** The rate is measured over so long. */
const windowMs = 1_000;

/**
 * How far a text that comes in pieces is shown: at the rate at which it comes, so that pieces do not jump, and never more than 400 ms
 * behind.
 */
export class Pace {
  readonly #arrivals: { at: number; length: number }[] = [];
  #shown: number;
  #length: number;
  #lastAt: number;

  /** @param length characters that are shown at once: those that were there before */
  constructor(length: number, now: number) {
    this.#shown = length;
    this.#length = length;
    this.#lastAt = now;
  }

  get isBehind(): boolean {
    return this.#shown < this.#length;
  }

  /** The text has this length now. */
  arrive(length: number, now: number): void {
    if (length === this.#length) return;
    if (length < this.#length) {
      this.#arrivals.length = 0;
      this.#shown = Math.min(this.#shown, length);
    } else this.#arrivals.push({ at: now, length });
    // What was waited for before is no time in which characters could have been shown.
    if (!this.isBehind) this.#lastAt = now;
    this.#length = length;
  }

  /** How many characters may be shown now, and how many must. */
  at(now: number): { may: number; must: number } {
    const first = this.#arrivals[0];
    const must = this.#arrivals.findLast(({ at }) => at <= now - maxBehindMs)?.length ?? 0;
    if (first !== undefined) {
      const rate = (this.#length - first.length) / Math.max(maxBehindMs, now - first.at);
      const newest = this.#arrivals.at(-1)?.at ?? now;
      const leftMs = Math.max(1, newest + maxBehindMs - this.#lastAt);
      const speed = Math.max(rate, (this.#length - this.#shown) / leftMs);
      this.#shown += speed * Math.max(0, now - this.#lastAt);
    }
    this.#lastAt = now;
    this.#shown = Math.min(this.#length, Math.max(this.#shown, must));
    while ((this.#arrivals[1]?.at ?? now) < now - windowMs) this.#arrivals.shift();
    return { may: Math.floor(this.#shown), must };
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const around = 64;
/** Letters that are read as words; Chinese and its like are read by the character. */
const inWord = /[\p{L}\p{N}\p{M}'’_-]/u;
const alone = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The longest beginning of a text of at most `length` characters that ends with a whole word, or a whole character where words have no spaces. */
export function wholeWords(text: string, length: number): number {
  if (length >= text.length) return wholeCharacters(text, text.length);
  let at = wholeCharacters(text, length);
  const isInside = () => isLetter(text, at - 1) && isLetter(text, at);
  const start = at;
  while (at > 0 && start - at < around && isInside()) at--;
  return isInside() ? start : wholeCharacters(text, at);
}

/** The longest beginning of at most `length` characters that ends with a whole character as people see it. */
export function wholeCharacters(text: string, length: number): number {
  if (length <= 0) return 0;
  if (length >= text.length) {
    // The second half of the last character may be on its way.
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    return isHalf ? wholeCharacters(text, text.length - 1) : text.length;
  }
  const from = Math.max(0, length - around);
  const found = graphemes.segment(text.slice(from, length + around)).containing(length - from);
  return from + (found?.index ?? length - from);
}

function isLetter(text: string, at: number): boolean {
  const character = text[at] ?? '';
  return inWord.test(character) && !alone.test(character);
}
