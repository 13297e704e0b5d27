import type { EventObject } from 'xstate';

/** Touches of a sample in one move. More of them are a loop that waits for a real value. */
const maxTouches = 10_000;

const mark = Symbol('sample');

export function isSample(value: unknown): boolean {
  return typeof value === 'function' && (value as { [mark]?: unknown })[mark] === true;
}

/**
 * Stands for a value that is not known: whatever is read of it or called on it is again the sample, so that guards and
 * assigns can be tried without the real one.
 */
export class Sample {
  readonly value: unknown;
  #touches = 0;
  #hasReadEvent = false;

  constructor() {
    const touch = <T>(answer: T): T => {
      if (++this.#touches > maxTouches) throw new Error('a loop that waits for a real value');
      return answer;
    };
    const value: object = new Proxy(() => {}, {
      get: (_, key) => {
        if (key === mark) return true;
        if (typeof key === 'symbol') return touch(symbols[key]);
        // Without this, `await` would treat the sample as a promise, and JSON.stringify would call it.
        return touch(key === 'then' || key === 'toJSON' ? undefined : value);
      },
      set: () => touch(true),
      has: () => touch(true),
      deleteProperty: () => touch(true),
      defineProperty: () => touch(true),
      ownKeys: () => touch([]),
      apply: () => touch(value),
      getPrototypeOf: () => touch(Object.prototype),
    });
    this.value = value;
  }

  /** An event whose fields are the sample, but for those that are given. */
  eventOf(fields: EventObject & Record<string, unknown>): EventObject {
    const read = () => {
      this.#touches++;
      this.#hasReadEvent = true;
      return this.value;
    };
    return new Proxy(fields, {
      get: (given: EventObject & Record<string | symbol, unknown>, key) =>
        key in given || typeof key === 'symbol' || key === 'toJSON' ? given[key] : read(),
    });
  }

  /** Before a move: forgets the last one. */
  reset(): void {
    this.#touches = 0;
    this.#hasReadEvent = false;
  }

  /** Whether the last move depended on it. */
  get wasTouched(): boolean {
    return this.#touches > 0;
  }

  /** Whether the last move read a field of its event that was made up. */
  get hasReadEvent(): boolean {
    return this.#hasReadEvent;
  }
}

const symbols: Record<symbol, unknown> = {
  [Symbol.toPrimitive]: (hint: string) => (hint === 'number' ? Number.NaN : ''),
  [Symbol.iterator]: () => [][Symbol.iterator](),
};
