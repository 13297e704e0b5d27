import type { TimerRow } from '../../store/rows.ts';

/** What ends a run's wait by itself: for its turn, or for a person's answer. */
interface Expiry {
  of: 'queue' | 'confirm' | 'reconcile' | 'unknown';
  /** Of `unknown`: the effect of a workflow whose outcome nobody knows. */
  effect: number | null;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Which of a run's timers are expiries, the soonest first. */
export function expiriesOf(timers: readonly TimerRow[]): Expiry[] {
  return timers
    .flatMap(({ id, dueAt: at }): Expiry | [] => {
      if (id === 'queue' || id === 'confirm' || id === 'reconcile') return { of: id, effect: null, at };
      const [, n] = /^reconcile\.(\d+)$/.exec(id) ?? [];
      return n === undefined ? [] : { of: 'unknown', effect: Number(n), at };
    })
    .sort((a, b) => a.at - b.at);
}

/** When the first open question of a run expires, as a field of its view. */
export function waitsUntil(timers: readonly TimerRow[]): { waitsUntil?: number } {
  const first = expiriesOf(timers).find((expiry) => expiry.of !== 'queue');
  return first ? { waitsUntil: first.at } : {};
}
