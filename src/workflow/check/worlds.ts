/** When a move is made, and with which dice. */
export interface World {
  /** Milliseconds after now. */
  later: number;
  /** First of the random numbers, 0 to 1. */
  dice: number;
}

const hour = 3_600_000;

/**
 * Each move is made in the first two. The others are for what reads the clock or the dice, and came out the same: whatever the
 * time is now, one of them is in the other half of the day.
 */
export const worlds: readonly [World, World, ...World[]] = [
  { later: 0, dice: 0.05 },
  { later: hour, dice: 0.95 },
  { later: 8 * hour, dice: 0.4 },
  { later: (200 * 24 + 16) * hour, dice: 0.7 },
];

/**
 * Calls a synchronous function with another clock and other dice: `Date`, `performance.now`, `Math.random` and `crypto`
 * are put back before it returns.
 *
 * @returns what the function returns, and whether it read the clock or the dice.
 */
export function inWorld<Value>({ later, dice }: World, run: () => Value): { value: Value; hasRead: boolean } {
  let hasRead = false;
  const reads = <T>(value: T): T => {
    hasRead = true;
    return value;
  };
  const start = Date.now() + later;
  const started = performance.now() + later;
  // Goes on with each look at it: code that waits for it to do so must end.
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

/** Puts something else in the place of a property, if its object lets it. */
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
