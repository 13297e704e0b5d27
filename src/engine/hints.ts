import type { EventBus } from './bus.ts';
import type { RunSignal } from './run-signal.ts';

/**
 * Tells other drivers of a database that there is something for them in its rows, and what their runs say. A hint carries
 * no order and may be lost: the rows are the truth, and every driver looks at them by itself now and then.
 */
export interface Hints {
  /** Has another driver look at the rows soon. */
  send(driver: number): void;
  /**
   * Calls `look` for each hint, and when another driver ends that was hinted at, attended or followed. From now on the signals of
   * `bus` go to those who follow runs of this driver.
   */
  listen(look: () => void, bus: EventBus): void;
  /** Has `look` called when another driver ends. */
  attend(driver: number): void;
  /** The signals of a run that another driver drives, as far as they arrive. Returns a function that ends that. */
  follow(driver: number, runId: string, on: (signal: RunSignal) => void): () => void;
}

/** For a process that has its store to itself: no other delivers commands. */
export const noHints: Hints = { send() {}, listen() {}, attend() {}, follow: () => () => {} };
