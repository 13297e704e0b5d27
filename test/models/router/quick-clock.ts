import type { Clock } from '../../../src/engine/clock.ts';

/** A clock for properties: the package's own fake one leaves time for commits, which is long over many trials. */
export function quickClock(): Clock & { advance(ms: number): Promise<void> } {
  let now = 0;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    wakeAt(at, wake) {
      const sleeper = { at, wake };
      sleepers.add(sleeper);
      return () => void sleepers.delete(sleeper);
    },
    hold: () => () => {},
    async advance(ms) {
      await settle();
      const until = now + ms;
      for (;;) {
        const next = [...sleepers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        sleepers.delete(next);
        now = Math.max(now, next.at);
        next.wake();
        await settle();
      }
      now = until;
      await settle();
    },
  };
}
