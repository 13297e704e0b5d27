import type { RunRow, TimerRow } from '../rows.ts';
import { isWatched, type TimerStatements } from '../statements/timers.ts';
import { everyRun, type Handlers, requireRun, type Tables } from './schema.ts';

export function timerStatements(tables: Tables): Handlers<TimerStatements> {
  const { runs, timers, due } = tables;
  const remove = (row: TimerRow) => {
    timers.remove(row.run, row);
    due.remove(everyRun, row);
    return 1;
  };
  /** The first timers that are due, soonest first, of the runs that pass. */
  const dueBy = (before: number, limit: number, passes: (run: RunRow) => boolean) => {
    const found = [];
    for (const timer of due.of(everyRun)) {
      const run = runs.get(timer.run);
      if (timer.dueAt > before || found.length >= limit) break;
      if (run && passes(run)) found.push({ timer: { ...timer, tenant: run.tenant, runId: run.id }, run });
    }
    return found;
  };
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

    listSoonestTimers: ({ before, limit }) =>
      dueBy(before, limit, () => true).map(({ timer, run: { driver, lastDriver } }) => ({
        ...timer,
        driver,
        lastDriver,
      })),

    listDueTimers: ({ before, limit, ...watching }) =>
      dueBy(before, limit, (run) => isWatched(run, watching)).map(({ timer }) => timer),

    listDueTimersOf: ({ before, limit, me }) =>
      dueBy(before, limit, (run) => run.ended === 0 && isWatched(run, { me, allAtRest: 0 })).map(
        ({ timer }) => timer,
      ),
  };
}
