import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { noDriver } from '../../rows.ts';
import type { TimerStatements } from '../../statements/timers.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const dueTimers = (k: Kysely<Database>) =>
  k
    .selectFrom('timers')
    .innerJoin('runs', 'runs.pk', 'timers.run_pk')
    .select([
      'timers.run_pk as run',
      'timers.id',
      'timers.event',
      'timers.due_at as dueAt',
      'runs.tenant_id as tenant',
      'runs.id as runId',
    ]);

/** No index has it so, so that the planner begins with the runs: https://www.sqlite.org/optoverview.html */
const dueAt = sql<number>`+timers.due_at`;

/** Whether a driver has the run, or watches it while it is at rest. */
const isWatched = (e: ExpressionBuilder<Database, 'runs'>, p: { me: never; allAtRest: never }) =>
  e.or([
    e('runs.driver', '=', p.me),
    e.and([
      e('runs.driver', '=', sql.lit(noDriver)),
      e.or([
        e('runs.last_driver', '=', p.me),
        e.and([e(sql.lit(1), '=', p.allAtRest), e('runs.last_driver', 'is not', null)]),
      ]),
    ]),
  ]);

export const timerQueries = {
  setTimer: [
    'run',
    (k, p) =>
      k
        .insertInto('timers')
        .values({ run_pk: p.run, id: p.id, tenant_id: p.tenant, event: p.event, due_at: p.dueAt })
        .onConflict((c) => c.columns(['run_pk', 'id']).doUpdateSet({ event: p.event, due_at: p.dueAt })),
  ],
  clearTimer: ['run', (k, p) => k.deleteFrom('timers').where('run_pk', '=', p.run).where('id', '=', p.id)],
  fireTimer: [
    'run',
    (k, p) =>
      k.deleteFrom('timers').where('run_pk', '=', p.run).where('id', '=', p.id).where('due_at', '=', p.dueAt),
  ],
  listTimers: [
    'all',
    (k, p) =>
      k
        .selectFrom('timers')
        .select(['run_pk as run', 'id', 'event', 'due_at as dueAt'])
        .where('run_pk', '=', p.run)
        .orderBy('due_at')
        .orderBy('id'),
  ],
  listSoonestTimers: [
    'all',
    (k, p) =>
      dueTimers(k)
        .select(['runs.driver', 'runs.last_driver as lastDriver'])
        .where('timers.due_at', '<=', p.before)
        .orderBy('timers.due_at')
        .orderBy('timers.run_pk')
        .orderBy('timers.id')
        .limit(p.limit),
  ],
  listDueTimers: [
    'all',
    (k, p) =>
      dueTimers(k)
        .where('timers.due_at', '<=', p.before)
        .where((e) => isWatched(e, p))
        .orderBy('timers.due_at')
        .orderBy('timers.run_pk')
        .orderBy('timers.id')
        .limit(p.limit),
  ],
  listDueTimersOf: [
    'all',
    (k, p) =>
      dueTimers(k)
        .where(dueAt, '<=', p.before)
        .where((e) =>
          e.or([
            e.and([e('runs.ended', '=', sql.lit(0)), e('runs.driver', '=', p.me)]),
            e.and([
              e('runs.ended', '=', sql.lit(0)),
              e('runs.driver', '=', sql.lit(noDriver)),
              e('runs.last_driver', '=', p.me),
            ]),
          ]),
        )
        .orderBy(dueAt)
        .orderBy('timers.run_pk')
        .orderBy('timers.id')
        .limit(p.limit),
  ],
} satisfies Queries<TimerStatements>;
