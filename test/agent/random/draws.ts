/** Where a random life takes its choices from. */
export interface Chance {
  /** A whole number from 0 to `bound` - 1. 0 is the simplest choice. */
  below(bound: number): number;
}

/** Choices that come from a seed, or are told again; either way they are written down. */
export class Draws implements Chance {
  readonly drawn: number[] = [];
  readonly #given: readonly number[] | null;
  #state: number;

  /** @param from a seed, or choices to make again; behind their end everything is 0 */
  constructor(from: number | readonly number[]) {
    this.#given = typeof from === 'number' ? null : from;
    this.#state = typeof from === 'number' ? Math.imul(from, 0x9e3779b1) : 0;
  }

  below(bound: number): number {
    const given = this.#given?.[this.drawn.length] ?? 0;
    const value = this.#given ? given % bound : Math.floor(this.#next() * bound);
    this.drawn.push(value);
    return value;
  }

  /** mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
}

/**
 * Makes choices that fail smaller as long as they still fail: fewer of them, and simpler ones. As histories that race may
 * go another way, what it answers was seen to fail.
 *
 * @param maxMs how long it may take
 */
export async function minimise(
  drawn: readonly number[],
  fails: (drawn: readonly number[]) => Promise<boolean>,
  maxMs: number,
): Promise<readonly number[]> {
  const end = performance.now() + maxMs;
  let best = drawn;
  const improves = async (candidate: readonly number[]) => {
    if (performance.now() > end || !(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (
    let size = Math.ceil(best.length / 2);
    size >= 1 && performance.now() < end;
    size = Math.floor(size / 2)
  ) {
    for (let at = 0; at < best.length; ) {
      const without = [...best.slice(0, at), ...best.slice(at + size)];
      if (await improves(without)) continue;
      const simple = best.map((value, i) => (i >= at && i < at + size ? 0 : value));
      if (simple.some((value, i) => value !== best[i])) await improves(simple);
      at += size;
    }
  }
  return best;
}
