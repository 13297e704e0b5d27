import type { Clock } from '../engine/clock.ts';

export interface FakeClock extends Clock {
  /** Advances the time, fires the timers due on the way, and lets the work that they start settle. */
  advance(ms: number): Promise<void>;
  /**
   * Sets the clock forward or back, as when a machine wakes up or its clock is corrected: no work happened in that time. Ends every
   * sleep, because a program that looks at the changed clock finds its time over.
   */
  step(ms: number): Promise<void>;
}

/**
 * A clock that only moves by `advance` and `step`: days of waiting take no time in a test.
 *
 * @param start milliseconds since the epoch.
 *
 * @example
 * ```ts
 * const clock = fakeClock();
 * const detent = createDetent({ clock, store: 'in-process' });
 * await clock.advance(7 * 24 * 60 * 60 * 1000); // the confirmation expires
 * ```
 */
export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  let worked = 0;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    worked: () => worked,
    wakeAt(at, wake) {
      const sleeper = { at, wake };
      sleepers.add(sleeper);
      // What is due needs no push.
      if (at <= now) setTimeout(() => sleepers.delete(sleeper) && wake(), 0);
      return () => void sleepers.delete(sleeper);
    },
    hold: () => () => {},
    async advance(ms) {
      // What is under way may be about to fall asleep.
      await settle();
      const until = now + ms;
      const moveTo = (at: number) => {
        worked += Math.max(0, at - now);
        now = Math.max(now, at);
      };
      for (;;) {
        const next = [...sleepers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        sleepers.delete(next);
        moveTo(next.at);
        next.wake();
        await settle();
      }
      moveTo(until);
      await settle();
    },
    async step(ms) {
      await settle();
      now += ms;
      const woken = [...sleepers];
      sleepers.clear();
      for (const { wake } of woken) wake();
      await settle();
    },
  };
}

/** Turns of the event loop that commits and their followers may need. */
const settlingTurns = 20;

async function settle(): Promise<void> {
  for (let i = 0; i < settlingTurns; i++) await new Promise((resolve) => setTimeout(resolve, 0));
}
