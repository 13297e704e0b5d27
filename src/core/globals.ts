/**
 * What engines of apps (Hermes, QuickJS) lack of JavaScript's library, in the shortest form that the core uses. Each is defined only
 * where it is missing. The host itself has to have `setTimeout` and `clearTimeout`.
 *
 * @module
 */

function add(to: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values))
    if (!(name in to)) Object.defineProperty(to, name, { value, writable: true, configurable: true });
}

type Listener = (event: { type: 'abort' }) => void;

/** An `AbortSignal`, with its controller. */
class Signal {
  aborted = false;
  reason: unknown = undefined;
  onabort: Listener | null = null;
  #listeners = new Set<Listener>();

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.delete(listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Of the controller. */
  end(
    reason: unknown = Object.assign(new Error('This operation was aborted'), { name: 'AbortError' }),
  ): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener({ type: 'abort' });
    this.onabort?.({ type: 'abort' });
  }
}

class Controller {
  readonly signal = new Signal();

  abort(reason?: unknown): void {
    this.signal.end(reason);
  }
}

function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    const end = () => controller.abort(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  }
  return controller.signal;
}

function utf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text.toWellFormed()) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else
      bytes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 63),
        0x80 | ((code >> 6) & 63),
        0x80 | (code & 63),
      );
  }
  return new Uint8Array(bytes);
}

class Encoder {
  encode(text = ''): Uint8Array {
    return utf8(text);
  }
}

/** An address with a host: what schemas and models by HTTP have. It encodes nothing. */
class Address {
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
  /** Schemas change it. */
  hash: string;

  constructor(text: string, base?: string) {
    const form = /^([a-z][a-z\d+.-]*:)\/\/(?:[^/?#@]*@)?([^/?#]+)([^?#]*)(\?[^#]*)?(#.*)?$/i;
    const parts = form.exec(text) ?? (base === undefined ? null : form.exec(Address.#within(text, base)));
    if (!parts) throw new TypeError(`Invalid URL: ${text}`);
    const [, protocol = '', host = '', path = '', search = '', hash = ''] = parts;
    this.protocol = protocol.toLowerCase();
    this.host = host.toLowerCase();
    this.hostname = this.host.replace(/:\d*$/, '');
    this.origin = `${this.protocol}//${this.host}`;
    this.pathname = path === '' ? '/' : path;
    this.search = search;
    this.hash = hash;
  }

  get href(): string {
    return `${this.origin}${this.pathname}${this.search}${this.hash}`;
  }

  /** A text that is relative to an address. */
  static #within(text: string, base: string): string {
    const { origin, pathname, search } = new Address(base);
    if (text.startsWith('#') || text === '') return `${origin}${pathname}${search}${text}`;
    if (text.startsWith('/')) return `${origin}${text}`;
    if (text.startsWith('?')) return `${origin}${pathname}${text}`;
    return `${origin}${pathname.replace(/[^/]*$/, '')}${text}`;
  }

  toString(): string {
    return this.href;
  }
}

const halves = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

add(globalThis, {
  globalThis,
  // A host without one has `report`.
  console: { log() {}, warn() {}, error() {} },
  performance: { now: () => Date.now() },
  queueMicrotask: (work: () => void) => void Promise.resolve().then(work),
  setImmediate: (work: () => void) => setTimeout(work, 0),
  clearImmediate: (timer: ReturnType<typeof setTimeout> | undefined) => clearTimeout(timer),
  setInterval(work: () => void, ms: number) {
    const timer = { next: setTimeout(repeat, ms) };
    function repeat() {
      timer.next = setTimeout(repeat, ms);
      work();
    }
    return timer;
  },
  clearInterval: (timer: { next: ReturnType<typeof setTimeout> }) => clearTimeout(timer.next),
  structuredClone: (value: unknown) => (value === undefined ? value : JSON.parse(JSON.stringify(value))),
  AbortController: Controller,
  AbortSignal: Signal,
  TextEncoder: Encoder,
  URL: Address,
});
add(URL, {
  parse(text: string) {
    try {
      return new URL(text);
    } catch {
      return null;
    }
  },
});
add(AbortSignal, { any: anySignal });
add(Symbol, { dispose: Symbol('Symbol.dispose'), asyncDispose: Symbol('Symbol.asyncDispose') });
add(Promise, {
  withResolvers() {
    let settle = {};
    const promise = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    return { promise, ...settle };
  },
});
add(Map, {
  groupBy<T>(items: Iterable<T>, keyOf: (item: T) => unknown) {
    const groups = new Map<unknown, T[]>();
    for (const item of items) {
      const key = keyOf(item);
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
    return groups;
  },
});
add(Array, {
  async fromAsync<T>(items: AsyncIterable<T>, made: (item: T) => unknown = (item) => item) {
    const all: unknown[] = [];
    for await (const item of items) all.push(made(item));
    return all;
  },
});
add(Array.prototype, {
  toReversed(this: unknown[]) {
    return [...this].reverse();
  },
  toSorted(this: unknown[], order?: (a: unknown, b: unknown) => number) {
    return [...this].sort(order);
  },
});
add(String.prototype, {
  isWellFormed(this: string) {
    return String(this).search(halves) < 0;
  },
  toWellFormed(this: string) {
    return String(this).replace(halves, '\uFFFD');
  },
});
