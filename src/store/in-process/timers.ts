import { noDriver, type RunRow, type TimerRow } from '../rows.ts';
import type { TimerStatements } from '../statements/timers.ts';
import { everyRun, type Handlers, requireRun, type Tables } from './schema.ts';

interface Watching {
  me: number;
  allAtRest: 0 | 1;
}

export function timerStatements(tables: Tables): Handlers<TimerStatements> {
  const { runs, timers, due } = tables;
  const remove = (row: TimerRow) => {
    timers.remove(row.run, row);
    due.remove(everyRun, row);
    return 1;
  };
  /** The timers of the runs that a driver watches, soonest first. */
  function* watched({ me, allAtRest }: Watching): Generator<readonly [TimerRow, RunRow]> {
    for (const timer of due.of(everyRun)) {
      const run = runs.get(timer.run);
      const isAtRest = run?.driver === noDriver && (run.lastDriver === me || allAtRest === 1);
      if (run && (run.driver === me || isAtRest)) yield [timer, run];
    }
  }
  return {
    setTimer({ run, id, event, dueAt }) {
      requireRun(tables, run);
      const old = timers.find(run, { id });
      if (old) remove(old);
      const row = { run, id, event, dueAt };
      timers.add(run, row);
      due.add(everyRun, row);
      return 1;
    },

    clearTimer({ run, id }) {
      const row = timers.find(run, { id });
      return row ? remove(row) : 0;
    },

    fireTimer({ run, id, dueAt }) {
      const row = timers.find(run, { id });
      return row?.dueAt === dueAt ? remove(row) : 0;
    },

    listTimers: ({ run }) =>
      timers
        .of(run)
        .map((row) => ({ ...row }))
        .sort((a, b) => a.dueAt - b.dueAt),

    listDueTimers({ before, limit, ...watching }) {
      const found = [];
      for (const [timer, { tenant, id: runId }] of watched(watching)) {
        if (timer.dueAt > before || found.length >= limit) break;
        found.push({ ...timer, tenant, runId });
      }
      return found;
    },

    nextTimer(watching) {
      for (const [{ dueAt }] of watched(watching)) return { dueAt };
      return { dueAt: null };
    },
  };
}
