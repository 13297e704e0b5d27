import type { Scoped, TimerRow } from '../rows.ts';

/** The timers of runs. */
export interface TimerStatements {
  setTimer: { in: TimerRow & Scoped; out: number };
  clearTimer: { in: { run: number; id: string }; out: number };
  fireTimer: { in: { run: number; id: string; dueAt: number }; out: number };
  listTimers: { in: { run: number }; out: TimerRow[] };
  /** Due timers of runs whose fence is at least `from` and less than `below`, soonest first. */
  listDueTimers: {
    in: { from: number; below: number; before: number; limit: number };
    out: (TimerRow & { tenant: number; runId: string })[];
  };
  nextTimer: { in: { from: number; below: number }; out: { dueAt: number | null } | undefined };
}
