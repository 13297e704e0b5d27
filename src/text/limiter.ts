/** Limits the concurrency of each kind of work. */
export interface Limiter {
  /** Resolves with the release once there is room under `key`; rejects when `signal` aborts first. */
  acquire(key: string, signal: AbortSignal): Promise<() => void>;
  /** Whether `acquire` would have to wait. */
  isFull(key: string): boolean;
}

/** Counts within one process. Keys without a limit have `otherwise`; by default they are free. */
export function createLimiter(
  limits: Readonly<Record<string, number>> = {},
  otherwise = Number.POSITIVE_INFINITY,
): Limiter {
  const taken = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  const free = () => {};
  return {
    isFull: (key) => (taken.get(key) ?? 0) >= (limits[key] ?? otherwise),
    async acquire(key, signal) {
      const limit = limits[key] ?? otherwise;
      if (limit === Number.POSITIVE_INFINITY) return free;
      const count = taken.get(key) ?? 0;
      if (count < limit) taken.set(key, count + 1);
      // A release hands its place over, so the count does not change.
      else
        await new Promise<void>((resolve, reject) => {
          signal.throwIfAborted();
          const queue = waiting.get(key) ?? [];
          waiting.set(key, queue);
          const turn = () => {
            signal.removeEventListener('abort', leave);
            resolve();
          };
          const leave = () => {
            queue.splice(queue.indexOf(turn), 1);
            reject(signal.reason);
          };
          queue.push(turn);
          signal.addEventListener('abort', leave, { once: true });
        });
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        const next = waiting.get(key)?.shift();
        if (next) return next();
        waiting.delete(key);
        const left = (taken.get(key) ?? 1) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
}

// Read when the module loads, so that a test that fakes timers later does not stop long work.
const { setImmediate } = globalThis;

/** Lets other work of the process run. */
export function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Waits for work, but not longer than a time and until a signal aborts. The work goes on after that, and its error is nobody's.
 *
 * @param late says what is returned then, or throws. Default: undefined
 */
export async function inTime<T, L = undefined>(
  work: Promise<T>,
  ms: number,
  late?: () => L,
  signal?: AbortSignal,
): Promise<T | L> {
  const { promise: over, resolve } = Promise.withResolvers<L>();
  const giveUp = () => resolve(undefined as L);
  // A timer of its own: that of `AbortSignal.timeout` would run on after the wait, and keep its objects in memory.
  const timer = setTimeout(giveUp, ms);
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted) giveUp();
  try {
    return await Promise.race([work, late ? over.then(late) : over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

/** Waits for work, but not longer: whether it has ended by then. It goes on, and a later failure is not told here. */
export function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = work.then(() => true);
  return inTime(ended, ms, () => false);
}

/** After so long, other work of the process gets its turn. */
const turnMs = 15;

/** Lets other work of the process have its turn during long work. */
export class Turns {
  /** When the last turn began, in milliseconds of the monotonic clock. */
  since: number = performance.now();

  async next(): Promise<void> {
    if (performance.now() - this.since < turnMs) return;
    await breath();
    this.since = performance.now();
  }
}

/** Runs work under one key strictly serially. Work under different keys runs concurrently. */
export class KeyedQueue {
  /** The last work in the queue of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work under the same key, however that ended. */
  enqueue<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    const leave = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(leave, leave);
    return mine;
  }

  /** Resolves when all that is queued now is over. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}

/** Work that many ask for: never twice at once, and once more for those who ask while it is done, because it may have looked before. */
export class Rounds {
  #isAsked = false;
  #running: Promise<void> | null = null;

  /** Resolves when all that is asked for now has been done. Rejects with what a round throws. */
  ask(round: () => Promise<void>): Promise<void> {
    this.#isAsked = true;
    this.#running ??= this.#goRound(round).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when nothing is under way any more. */
  async over(): Promise<void> {
    while (this.#running) await this.#running.catch(() => {});
  }

  async #goRound(round: () => Promise<void>): Promise<void> {
    while (this.#isAsked) {
      this.#isAsked = false;
      await round();
    }
  }
}

/**
 * Remembers what an asynchronous function answers. For modules that are loaded when they are first needed: to import one
 * again takes longer than most queries.
 */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= ask();
    return asked;
  };
}

const minuteMs = 60_000;
/** Different lines in one. */
const maxLines = 50;

/**
 * For lines that come again and again: whether one is new in this minute. At most 50 are, so that lines that differ each time do not
 * fill a log, either.
 *
 * @param now milliseconds that only grow
 */
export function onceAMinute(now: () => number = () => performance.now()): (line: string) => boolean {
  const told = new Set<string>();
  let since = now();
  return (line) => {
    if (now() - since >= minuteMs) {
      told.clear();
      since = now();
    }
    if (told.has(line) || told.size >= maxLines) return false;
    told.add(line);
    return true;
  };
}
