import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { all, change, columnsOf, valuesOf } from '../query/query.ts';
import { type DueTimer, noDriver, type RunRow, type Scoped, type TimerRow, type TimersOf } from '../rows.ts';

type Until = {
  before: number;
  limit: number;
};

const dueTimers = (k: Kysely<Database>) =>
  k
    .selectFrom('timers')
    .innerJoin('runs', 'runs.pk', 'timers.run_pk')
    .select([...columnsOf('timers'), 'runs.tenant_id as tenant', 'runs.id as runId']);

/** Whether a driver has the run, or watches it while it is at rest. */
const isWatchedBy = (
  e: ExpressionBuilder<Database, 'runs'>,
  p: { me: never; last: never; allAtRest: never },
) =>
  e.or([
    e('runs.driver', '=', p.me),
    e.and([
      e('runs.driver', '=', sql.lit(noDriver)),
      e.or([
        e('runs.last_driver', '=', p.last),
        e.and([e(sql.lit(1), '=', p.allAtRest), e('runs.last_driver', 'is not', null)]),
      ]),
    ]),
  ]);

/** The timers of runs. */
export const timerStatements = {
  setTimer: change<TimerRow & Scoped>((k, p) =>
    k
      .insertInto('timers')
      .values(valuesOf('timers', p))
      .onConflict((c) => c.columns(['run_pk', 'id']).doUpdateSet({ event: p.event, due_at: p.dueAt })),
  ),
  clearTimer: change<{ run: number; id: string }>((k, p) =>
    k.deleteFrom('timers').where('run_pk', '=', p.run).where('id', '=', p.id),
  ),
  fireTimer: change<{ run: number; id: string; dueAt: number }>((k, p) =>
    k.deleteFrom('timers').where('run_pk', '=', p.run).where('id', '=', p.id).where('due_at', '=', p.dueAt),
  ),
  listTimers: all<{ run: number }, TimerRow>((k, p) =>
    k
      .selectFrom('timers')
      .select(columnsOf('timers'))
      .where('run_pk', '=', p.run)
      .orderBy('due_at')
      .orderBy('id'),
  ),
  /** Timers that are due by `before`, of all runs, soonest first; with who has the run. */
  listSoonestTimers: all<Until, DueTimer & Pick<RunRow, 'driver' | 'lastDriver'>>((k, p) =>
    dueTimers(k)
      .select(['runs.driver', 'runs.last_driver as lastDriver'])
      .where('timers.due_at', '<=', p.before)
      .orderBy('timers.due_at')
      .orderBy('timers.run_pk')
      .orderBy('timers.id')
      .limit(p.limit),
  ),
  /** The same of the runs that a driver watches. Walks all that are due: right if most of them are watched. */
  listDueTimers: all<TimersOf & Until, DueTimer>((k, p) =>
    dueTimers(k)
      .where('timers.due_at', '<=', p.before)
      .where((e) => isWatchedBy(e, p))
      .orderBy('timers.due_at')
      .orderBy('timers.run_pk')
      .orderBy('timers.id')
      .limit(p.limit),
  ),
  /** The same as with `allAtRest: 0`. Walks the runs of the driver: right if the timers of others are many. */
  listDueTimersOf: all<Pick<TimersOf, 'me' | 'last'> & Until, DueTimer>((k, p, { unindexed }) =>
    // Without the index of times the planner begins with the runs: https://www.sqlite.org/optoverview.html
    dueTimers(k)
      .where(unindexed<number>('timers.due_at'), '<=', p.before)
      .where((e) =>
        e.or([
          e.and([e('runs.ended', '=', sql.lit(0)), e('runs.driver', '=', p.me)]),
          e.and([
            e('runs.ended', '=', sql.lit(0)),
            e('runs.driver', '=', sql.lit(noDriver)),
            e('runs.last_driver', '=', p.last),
          ]),
        ]),
      )
      .orderBy(unindexed('timers.due_at'))
      .orderBy('timers.run_pk')
      .orderBy('timers.id')
      .limit(p.limit),
  ),
};
