import type { RunRow, TimerRow } from '../rows.ts';
import type { TimerStatements } from '../statements/timers.ts';
import { everyRun, type Handlers, requireRun, type Tables } from './schema.ts';

export function timerStatements(tables: Tables): Handlers<TimerStatements> {
  const { runs, timers, due } = tables;
  const remove = (row: TimerRow) => {
    timers.remove(row.run, row);
    due.remove(everyRun, row);
    return 1;
  };
  /** The timers of runs whose fence is at least `from` and less than `below`, soonest first. */
  function* ofDriver({
    from,
    below,
  }: {
    from: number;
    below: number;
  }): Generator<readonly [TimerRow, RunRow]> {
    for (const timer of due.of(everyRun)) {
      const run = runs.get(timer.run);
      if (run && run.fence >= from && run.fence < below) yield [timer, run];
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

    listDueTimers({ before, limit, ...fences }) {
      const found = [];
      for (const [timer, { tenant, id: runId }] of ofDriver(fences)) {
        if (timer.dueAt > before || found.length >= limit) break;
        found.push({ ...timer, tenant, runId });
      }
      return found;
    },

    nextTimer(fences) {
      for (const [{ dueAt }] of ofDriver(fences)) return { dueAt };
      return { dueAt: null };
    },
  };
}
