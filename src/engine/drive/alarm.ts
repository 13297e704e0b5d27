import type { Clock } from '../clock.ts';

/** One timer of the process, for the soonest of the moments that it was set to. */
export class Alarm {
  readonly #clock: Clock;
  #ring: () => void = () => {};
  #at = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets what happens when it rings; by default nothing. */
  onRing(ring: () => void): void {
    this.#ring = ring;
  }

  /** Rings at `at` at the latest, in milliseconds since the epoch. */
  expect(at: number): void {
    if (at >= this.#at || this.#stopped) return;
    this.#cancel();
    this.#at = at;
    this.#cancel = this.#clock.wakeAt(at, () => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}
