import type { Clock } from '../engine/clock.ts';
import type { SqlDriver } from '../store/driver.ts';

/** What the core needs of the app that it runs in. */
export interface Host {
  /** The app's SQLite, opened: the core has this database to itself. What it holds survives the app. */
  storage: SqlDriver;
  /**
   * Fills an array with random bytes, for ids. Default: `crypto.getRandomValues`, which React Native has with the package
   * `react-native-get-random-values`.
   */
  random?(bytes: Uint8Array): void;
  /** Time, and timers that wake runs. Default: `Date.now`, `performance.now` and `setTimeout` of the host. */
  clock?: Clock;
  /** Is told of failures that reach no caller. Default: `console.error`. */
  report?(error: unknown, runId: string): void;
}
