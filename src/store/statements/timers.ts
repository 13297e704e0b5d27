import type { Scoped, TimerRow } from '../rows.ts';

/** A driver's runs, and those at rest: that it had last, or all. */
interface TimersOf {
  me: number;
  allAtRest: 0 | 1;
}

/** The timers of runs. */
export interface TimerStatements {
  setTimer: { in: TimerRow & Scoped; out: number };
  clearTimer: { in: { run: number; id: string }; out: number };
  fireTimer: { in: { run: number; id: string; dueAt: number }; out: number };
  listTimers: { in: { run: number }; out: TimerRow[] };
  /** Due timers of the runs that a driver watches, soonest first. */
  listDueTimers: {
    in: TimersOf & { before: number; limit: number };
    out: (TimerRow & { tenant: number; runId: string })[];
  };
  nextTimer: { in: TimersOf; out: { dueAt: number | null } | undefined };
}
