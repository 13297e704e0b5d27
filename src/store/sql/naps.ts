// Read when the module loads, so that a test that fakes timers later does not stop commits.
const { setTimeout } = globalThis;

/** How long a commit or a read waits for other processes. */
const patienceMs = 5_000;
const shortNaps = 8;
const bed = new Int32Array(new SharedArrayBuffer(4));

/**
 * Tries something until no other process holds the lock that it needs. The waits are short and random: SQLite's own busy
 * handler waits up to 100 ms between two tries, so that of several writers one may starve.
 *
 * The first waits block the process, because the other's transaction is nearly over; later ones do not.
 *
 * @throws what `attempt` throws, and its `SQLITE_BUSY` after 5 seconds.
 */
export async function napUntilFree(attempt: () => void): Promise<void> {
  for (const naps = new Naps(); ; ) {
    try {
      return attempt();
    } catch (error) {
      await naps.after(error);
    }
  }
}

/** The naps of one that tries as {@link napUntilFree} does. */
export class Naps {
  readonly #until = performance.now() + patienceMs;
  #taken = 0;

  /** Waits before the next try. @throws the error of the last one, unless another process held the lock, and still may give it. */
  async after(error: unknown): Promise<void> {
    throwUnlessBusy(error, this.#until);
    if (++this.#taken <= shortNaps) nap();
    else await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
  }
}

/** As {@link napUntilFree}, for what must not be interrupted. */
export function blockUntilFree<T>(attempt: () => T): T {
  let until: number | null = null;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      until ??= performance.now() + patienceMs;
      throwUnlessBusy(error, until);
    }
    nap();
  }
}

/** Blocks the process until something is true. Returns whether it became so in that time. */
export function blockUntilTrue(isTrue: () => boolean, forMs: number): boolean {
  const until = performance.now() + forMs;
  while (!isTrue()) {
    if (performance.now() >= until) return false;
    nap();
  }
  return true;
}

function throwUnlessBusy(error: unknown, until: number): void {
  if (!isBusy(error) || performance.now() >= until) throw error;
}

/** 0.1 to 0.4 milliseconds. */
function nap(): void {
  Atomics.wait(bed, 0, 0, 0.1 + Math.random() * 0.3);
}

/** Whether another process holds a lock that SQLite needs. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
