import { type Clock, clockBy } from '../../engine/clock.ts';
import type { PresentDrivers } from '../../store/store.ts';

/** An older reading counts as worse by one millisecond in so many. */
const worseEveryMs = 100;

/** The time of the server, on which all its processes agree however their own clocks are set. */
export class ServerClock {
  readonly clock: Clock = clockBy(() => Math.floor(performance.now() + this.#aheadMs));
  /** Until the server has answered. */
  #aheadMs = Date.now() - performance.now();
  #tripMs = Number.POSITIVE_INFINITY;
  #readAt = 0;

  /** A slow answer says less than a quick one that came before it. */
  read({ aheadMs, tripMs }: Pick<PresentDrivers, 'aheadMs' | 'tripMs'>): void {
    const now = performance.now();
    if (tripMs > this.#tripMs + (now - this.#readAt) / worseEveryMs) return;
    this.#aheadMs = aheadMs;
    this.#tripMs = tripMs;
    this.#readAt = now;
  }
}
