import { noDriver, type RunRow, type Scoped, type TimerRow } from '../rows.ts';

/** A driver's runs, and those at rest: that it had last, or all. */
export interface TimersOf {
  me: number;
  allAtRest: 0 | 1;
}

interface Until {
  before: number;
  limit: number;
}

export interface DueTimer extends TimerRow {
  tenant: number;
  runId: string;
}

/** The timers of runs. */
export interface TimerStatements {
  setTimer: { in: TimerRow & Scoped; out: number };
  clearTimer: { in: { run: number; id: string }; out: number };
  fireTimer: { in: { run: number; id: string; dueAt: number }; out: number };
  listTimers: { in: { run: number }; out: TimerRow[] };
  /** Timers that are due by `before`, of all runs, soonest first; with who has the run. */
  listSoonestTimers: {
    in: Until;
    out: (DueTimer & Pick<RunRow, 'driver' | 'lastDriver'>)[];
  };
  /** The same of the runs that a driver watches. Walks all that are due: right if most of them are watched. */
  listDueTimers: { in: TimersOf & Until; out: DueTimer[] };
  /** The same as with `allAtRest: 0`. Walks the runs of the driver: right if the timers of others are many. */
  listDueTimersOf: { in: Pick<TimersOf, 'me'> & Until; out: DueTimer[] };
}

/** Whether a driver has the run, or watches it while it is at rest. For a fork that no driver has had, no time passes. */
export function isWatched(
  { driver, lastDriver }: Pick<RunRow, 'driver' | 'lastDriver'>,
  { me, allAtRest }: TimersOf,
): boolean {
  if (driver === me) return true;
  return driver === noDriver && lastDriver !== null && (allAtRest === 1 || lastDriver === me);
}
