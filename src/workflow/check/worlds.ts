/** The clock and the random numbers with which a move is made. */
interface World {
  /** Milliseconds after now. */
  later: number;
  /** First of the random numbers, 0 to 1. */
  dice: number;
}

const hour = 3_600_000;

const first: World = { later: 0, dice: 0.05 };
const second: World = { later: hour, dice: 0.95 };

/** XState's function that resolves the text of a log. Reading the clock there changes no state. */
const ofLog = /\bresolveLog\b/;
const maxFrames = 100;

/**
 * Makes a move, and makes it again in another world: it depends on the clock or on chance if it has read them, or if the results
 * differ.
 *
 * @param sameAs makes of the first result, at once, the question whether another one is the same
 * @returns what the first move returned
 */
export function inBothWorlds<Value>(
  move: () => Value,
  sameAs: (value: Value) => (again: Value) => boolean,
): { value: Value; isPure: boolean } {
  const { value, hasRead } = inWorld(first, move);
  const isSame = sameAs(value);
  return { value, isPure: !hasRead && isSame(inWorld(second, move).value) };
}

/**
 * Calls a synchronous function with another clock and other dice: `Date`, `performance.now`, `Math.random` and `crypto`
 * are put back before it returns. Nothing is printed meanwhile.
 *
 * @returns what the function returns, and whether it read the clock or the dice.
 */
function inWorld<Value>({ later, dice }: World, run: () => Value): { value: Value; hasRead: boolean } {
  let hasRead = false;
  const reads = <T>(value: T): T => {
    hasRead ||= !ofLog.test(callStack());
    return value;
  };
  const start = Date.now() + later;
  const started = performance.now() + later;
  // Advances with each reading, so that code which waits for the clock ends.
  let ticks = 0;
  const now = () => reads(start + ticks++);
  let last = dice;
  const random = () => {
    const drawn = last;
    last = (last * 9301 + 0.49297) % 1;
    return reads(drawn);
  };
  const byte = () => Math.floor(random() * 256);
  const RealDate = Date;
  const swaps = [
    swap(RealDate, 'now', now),
    swap(globalThis, 'Date', dateOf(RealDate, now)),
    swap(performance, 'now', () => reads(started + ticks++)),
    swap(Math, 'random', random),
    swap(process.stdout, 'write', silent),
    swap(process.stderr, 'write', silent),
    // The console of a test or program may be its own, without streams.
    swap(globalThis, 'console', new Proxy(console, { get: silenced })),
    swap(crypto, 'randomUUID', () => uuidOf(byte)),
    swap(crypto, 'getRandomValues', <T extends ArrayBufferView>(filled: T): T => {
      new Uint8Array(filled.buffer, filled.byteOffset, filled.byteLength).forEach((_, i, bytes) => {
        bytes[i] = byte();
      });
      return filled;
    }),
  ];
  try {
    return { value: run(), hasRead };
  } finally {
    for (const putBack of swaps.reverse()) putBack();
  }
}

const silent = () => true;

function silenced(console: Console, key: string | symbol): unknown {
  const value = Reflect.get(console, key);
  return typeof value === 'function' ? () => undefined : value;
}

function callStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = maxFrames;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

function dateOf(RealDate: DateConstructor, now: () => number): DateConstructor {
  return new Proxy(RealDate, {
    construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [now()], made),
    apply: () => new RealDate(now()).toString(),
  });
}

function uuidOf(byte: () => number): string {
  const hex = Array.from({ length: 16 }, () => byte().toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** Replaces a property, if its object allows that. */
function swap(object: object, key: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(object, key);
  const isDefined = Reflect.defineProperty(object, key, {
    value,
    writable: true,
    configurable: before?.configurable ?? true,
    enumerable: before?.enumerable ?? false,
  });
  return () => {
    if (!isDefined) return;
    if (before) Reflect.defineProperty(object, key, before);
    else Reflect.deleteProperty(object, key);
  };
}
