/** The symbol under which Node's `fetch` finds the dispatcher of the process. */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1');

/**
 * Loads undici without touching `fetch`: undici makes its own agent the dispatcher of `fetch` while it loads, and this
 * puts back what was there. `fetch` belongs to the program that embeds Detent, and may go through a proxy that Node or
 * the program has set up.
 *
 * @param load synchronous, so that nothing else sets the dispatcher meanwhile.
 * @see https://github.com/nodejs/undici/blob/v8.12.4/lib/global.js
 */
export function keepFetch<T>(load: () => T): T {
  const before: unknown = Reflect.get(globalThis, globalDispatcher);
  try {
    return load();
  } finally {
    Reflect.set(globalThis, globalDispatcher, before);
  }
}
