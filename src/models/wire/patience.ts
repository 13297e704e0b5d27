import { afterTimeOf } from '../../engine/foreign-code.ts';
import { CallFailure, timedOut } from './model-error.ts';
import { networkFailure } from './network-error.ts';
import { cancelled, type HttpRequest } from './transport.ts';

/** Waits for what code of the program does for a call: no longer than a server may be silent, nor than the call lasts. */
export class Patience {
  readonly #origin: string;
  readonly #limits: Pick<HttpRequest, 'signal' | 'firstByteTimeoutMs' | 'idleTimeoutMs'>;
  /** The first piece of the answer has come. */
  #hasBegun = false;

  constructor(origin: string, limits: Pick<HttpRequest, 'signal' | 'firstByteTimeoutMs' | 'idleTimeoutMs'>) {
    this.#origin = origin;
    this.#limits = limits;
  }

  /** @throws CallFailure of kind `aborted` or `timeout`, and what the work throws */
  async wait<T>(work: PromiseLike<T>): Promise<T> {
    const { signal, firstByteTimeoutMs, idleTimeoutMs } = this.#limits;
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(cancelled(this.#origin));
    const ms = this.#hasBegun ? idleTimeoutMs : firstByteTimeoutMs;
    const end = afterTimeOf(Math.min(ms, maxTimerMs), () => reject(this.#timeout(ms)));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([promise, work]);
    } finally {
      end();
      signal.removeEventListener('abort', onAbort);
    }
  }

  begun(): void {
    this.#hasBegun = true;
  }

  /** What was thrown while this waited, as a failed call. */
  failureOf(thrown: unknown): Error {
    if (thrown instanceof CallFailure) return thrown;
    if (this.#limits.signal.aborted) return cancelled(this.#origin);
    // `fetch` says "fetch failed", and the socket's error is its cause.
    const inner = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    return networkFailure(inner instanceof Error ? inner : new Error(String(inner)), this.#origin);
  }

  #timeout(ms: number): CallFailure {
    return timedOut(this.#origin, this.#hasBegun, ms);
  }
}

/** Node fires a longer timer at once. */
const maxTimerMs = 2 ** 31 - 1;
