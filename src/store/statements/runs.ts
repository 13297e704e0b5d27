import { type Expression, type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { ownSessions } from '../../protocol/access.ts';
import type { Database } from '../query/database.ts';
import type { Dialect } from '../query/dialect.ts';
import { add, all, change, columnsOf, isNull, one, valuesOf } from '../query/query.ts';
import {
  type AbandonedRun,
  noDriver,
  type RunMark,
  type RunRow,
  type Scoped,
  type StateCount,
  type TakeableRun,
} from '../rows.ts';
import { isWithinReach } from './reach.ts';

type Advance = Pick<RunRow, 'pk' | 'seq' | 'fence' | 'state' | 'context' | 'updatedAt'> & Was;

/** The run's `seq` and driver before the transition. */
type Was = {
  was: number;
  wasDriver: number | null;
};

/** Of a run that is only looked up. Its context may be long, and its other columns with it. */
const placeColumns = [
  'runs.pk',
  'runs.tenant_id as tenant',
  'runs.id',
  'runs.session_pk as session',
] as const;

/** Of a run that a driver may take. Its state and context are long, and there may be many such runs. */
const takeableColumns = columnsOf('runs', [
  'state',
  'context',
  'input',
  'output',
  'faults',
  'created_at',
  'updated_at',
]);

/** For which driver, how many, and which it must not have. */
type Handing = { me: number; refused: string; before: number; limit: number };

/** Gives a driver that lives the runs that are found. */
const handed = (
  k: Kysely<Database>,
  p: { readonly me: never },
  d: Dialect,
  found: (e: ExpressionBuilder<Database, 'runs'>) => Expression<number>,
) =>
  k
    .updateTable('runs')
    .set({ driver: p.me, last_driver: p.me, fence: sql<number>`fence + 1` })
    .where((e) => e('pk', 'in', found(e)))
    .where((e) =>
      e.exists(
        d.kept(
          e.selectFrom('drivers').select('epoch').where('epoch', '=', p.me).where('ended_at', 'is', null),
        ),
      ),
    )
    .returning(takeableColumns);

const runs = (k: Kysely<Database>) =>
  k
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.pk', 'runs.session_pk')
    .select([...columnsOf('runs'), 'sessions.key as sessionKey', 'sessions.user_id as user']);

/** The runs that people see. The run of a job itself is none: people see its slots. */
const seen = (k: Kysely<Database>) => runs(k).where('runs.machine', '<>', sql.lit('job'));

/** Uses a literal, not a parameter: the planner uses a partial index only for a value that it can see. */
const activeRuns = (k: Kysely<Database>) => runs(k).where('runs.ended', '=', sql.lit(0));

/** By their state. */
const counted = (k: Kysely<Database>, p: { tenant: never; user: never; reach: never }, d: Dialect) =>
  k
    .selectFrom('runs')
    .select((e) => ['runs.machine', 'runs.state', e.fn.countAll<number>().as('runs')])
    .where('runs.tenant_id', '=', p.tenant)
    .where('runs.machine', '<>', sql.lit('job'))
    .where(
      sql<boolean>`(${isNull(p.user, 'text')} or exists
        (select 1 from sessions where pk = runs.session_pk and user_id = ${p.user}))`,
    )
    .where(isWithinReach(d, p.reach))
    .groupBy(['runs.state', 'runs.machine'])
    .orderBy('runs.state')
    .orderBy('runs.machine');

const isUnstarted = sql<
  0 | 1
>`case when runs.driver = ${sql.lit(noDriver)} and runs.last_driver is null then 1 else 0 end`;

/** The form of a sub-run's id: its parent's, a dot and the call. */
const subRunIds = '%.c%';

/** Matches a run only if it is still at `was`, and still has this driver and fence. */
const moving = (k: Kysely<Database>, p: { pk: never; was: never; wasDriver: never; fence: never }) =>
  k
    .updateTable('runs')
    .where('pk', '=', p.pk)
    .where('seq', '=', p.was)
    .where('fence', '=', p.fence)
    .where('driver', 'is not distinct from', p.wasDriver);

/** Runs and the lanes that they queue in. */
export const runStatements = {
  insertRun: add<Omit<RunRow, 'pk' | 'sessionKey' | 'user' | 'faults' | 'updatedAt'>, { pk: number }>(
    (k, p, d) =>
      k
        .insertInto('runs')
        .values({
          ...valuesOf('runs', p, ['pk', 'faults', 'updated_at']),
          pk: d.nextKey(k, 'runs'),
          faults: 0,
          updated_at: p.createdAt,
        })
        .returning('pk'),
  ),
  loadRun: one<Scoped & { id: string }, RunRow>(
    (k, p) => runs(k).where('runs.tenant_id', '=', p.tenant).where('runs.id', '=', p.id),
    'no key update of runs',
  ),
  /**
   * Whose run it is, without its long columns. `reach`: only a run of these kinds, as JSON: `["agent:support", "workflow:"]`, where a
   * kind without a name stands for all; null for any.
   */
  findRunOwner: one<Scoped & { id: string; reach: string | null }, Pick<RunRow, 'sessionKey' | 'user'>>(
    (k, p, d) =>
      k
        .selectFrom('runs')
        .innerJoin('sessions', 'sessions.pk', 'runs.session_pk')
        .select(['sessions.key as sessionKey', 'sessions.user_id as user'])
        .where('runs.tenant_id', '=', p.tenant)
        .where('runs.id', '=', p.id)
        .where(isWithinReach(d, p.reach)),
  ),
  /** A run of the session that is not within the reach. */
  findRunBeyond: one<{ session: number; reach: string }, { pk: number }>((k, p, d) =>
    k
      .selectFrom('runs')
      .select('runs.pk')
      .where('runs.session_pk', '=', p.session)
      .where(sql<boolean>`not ${isWithinReach(d, p.reach)}`)
      .limit(sql.lit(1)),
  ),
  /** Writes a transition that does not end the run; 0 if the run has moved, or belongs to another driver. */
  advanceRun: change<Advance>((k, p) =>
    moving(k, p).set({ seq: p.seq, state: p.state, context: p.context, updated_at: p.updatedAt }),
  ),
  /** Writes the run's last transition. A statement of its own, because it changes the index of active runs. */
  endRun: change<Advance & Pick<RunRow, 'output'>>((k, p) =>
    moving(k, p).set({
      seq: p.seq,
      ended: 1,
      state: p.state,
      context: p.context,
      output: p.output,
      updated_at: p.updatedAt,
    }),
  ),
  /** Migrates a run to another version of its machine, which its options may name; 0 if it has moved, has ended, or belongs to another driver. */
  migrateRun: change<
    Pick<RunRow, 'pk' | 'seq' | 'fence' | 'version' | 'state' | 'context' | 'options'> & Was
  >((k, p) =>
    moving(k, p)
      .set({ seq: p.seq, version: p.version, state: p.state, context: p.context, options: p.options })
      .where('ended', '=', 0),
  ),
  /**
   * Gives a run that has not ended to the driver `me`, with the fence `seen + 1`. 0 if another driver has it, its fence is
   * not `seen`, or `me` was buried.
   */
  claimRun: change<{ pk: number; seen: number; me: number }>((k, p, d) =>
    k
      .updateTable('runs')
      .set({ driver: p.me, last_driver: p.me, fence: sql<number>`fence + 1` })
      .where('pk', '=', p.pk)
      .where('fence', '=', p.seen)
      .where('ended', '=', 0)
      .where((e) =>
        e.or([e('driver', 'is', null), e('driver', '=', sql.lit(noDriver)), e('driver', '=', p.me)]),
      )
      .where((e) =>
        e.exists(
          d.kept(
            e.selectFrom('drivers').select('epoch').where('epoch', '=', p.me).where('ended_at', 'is', null),
          ),
        ),
      ),
  ),
  /**
   * Gives a driver runs that want one and can go on: those of jobs last, and of each tenant as many as of the others, with what it has
   * under way counted. `refused` are pairs, of which the first is the run.
   */
  claimWanted: all<Handing, TakeableRun>((k, p, d) =>
    handed(k, p, d, (e) =>
      d.free(
        e
          .selectFrom('runs')
          .select('runs.pk')
          .innerJoin(
            sql<{ pk: number; rank: number; place: number }>`(
              select wanted.pk, wanted.rank, wanted.place + coalesce(busy.n, 0) as place from (
                select runs.pk, runs.tenant_id, case when sessions.key like ${sql.lit(`${ownSessions.job}%`)} then 1 else 0 end as rank,
                  row_number() over (partition by runs.tenant_id, case when sessions.key like ${sql.lit(`${ownSessions.job}%`)} then 1 else 0 end order by runs.pk) as place
                from runs inner join sessions on sessions.pk = runs.session_pk
                where runs.ended = 0 and runs.driver is null and runs.pk not in (select first from ${d.pairs(p.refused)} as refused)
                  and (runs.seq > 0
                    or not exists (select 1 from runs as earlier where earlier.session_pk = runs.session_pk and earlier.ordinal < runs.ordinal and earlier.ended = 0)
                    or exists (select 1 from timers where timers.run_pk = runs.pk and timers.due_at <= ${p.before}))
              ) as wanted left join (
                select tenant_id, count(*) as n from runs where ended = 0 and driver > 0 group by tenant_id
              ) as busy on busy.tenant_id = wanted.tenant_id
            )`.as('ranked'),
            'ranked.pk',
            'runs.pk',
          )
          .where('runs.ended', '=', sql.lit(0))
          .where('runs.driver', 'is', null)
          .orderBy('ranked.rank')
          .orderBy('ranked.place')
          .orderBy('runs.pk')
          .limit(p.limit),
      ),
    ),
  ),
  /** Gives a driver runs at rest of which timers are due. */
  claimDue: all<Handing, TakeableRun>((k, p, d) =>
    handed(k, p, d, (e) =>
      d.free(
        e
          .selectFrom('timers')
          .innerJoin('runs', 'runs.pk', 'timers.run_pk')
          .select('runs.pk')
          .where('timers.due_at', '<=', p.before)
          .where('runs.ended', '=', sql.lit(0))
          .where('runs.driver', '=', sql.lit(noDriver))
          .where('runs.last_driver', 'is not', null)
          .where(sql<boolean>`runs.pk not in (select first from ${d.pairs(p.refused)} as refused)`)
          .orderBy('timers.due_at')
          .orderBy('timers.run_pk')
          .limit(p.limit),
      ),
    ),
  ),
  /** Of these runs, pairs of a run and its last transition, a driver has none that has not moved since. */
  restRuns: change<{ me: number; runs: string }>((k, p, d) =>
    k
      .updateTable('runs')
      .set({ driver: noDriver })
      .where('driver', '=', p.me)
      .where('ended', '=', sql.lit(0))
      .where((e) =>
        e.exists(
          e
            .selectFrom(d.pairs(p.runs).as('claimed'))
            .select('claimed.first')
            .whereRef('claimed.first', '=', 'runs.pk')
            .whereRef('claimed.second', '=', 'runs.seq'),
        ),
      ),
  ),
  changeRunOptions: change<Pick<RunRow, 'pk' | 'options'>>((k, p) =>
    k.updateTable('runs').set({ options: p.options }).where('pk', '=', p.pk),
  ),
  /** Says who has a run from now on. A statement of its own, because it changes the index of drivers. */
  passRun: change<Pick<RunRow, 'pk' | 'driver'>>((k, p) =>
    k.updateTable('runs').set({ driver: p.driver }).where('pk', '=', p.pk),
  ),
  /** Runs after the run `after` (its `pk`) that want a driver, oldest first: see {@link RunRow.driver}. */
  listAbandonedRuns: all<{ after: number; limit: number }, AbandonedRun>((k, p) =>
    k
      .selectFrom('runs')
      .select([...placeColumns, 'runs.last_driver as lastDriver', 'runs.updated_at as updatedAt'])
      .where('runs.ended', '=', sql.lit(0))
      .where('runs.driver', 'is', null)
      .where('runs.pk', '>', p.after)
      .orderBy('runs.pk')
      .limit(p.limit),
  ),
  /** Runs of a driver whose turn in their lanes has come. */
  listOwnHeads: all<{ driver: number }, Pick<RunRow, 'pk' | 'tenant' | 'id' | 'session'>>((k, p) =>
    k
      .selectFrom('runs')
      .select(placeColumns)
      .where('runs.ended', '=', sql.lit(0))
      .where('runs.driver', '=', p.driver)
      .where('runs.seq', '=', sql.lit(0))
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('runs as earlier')
              .select('earlier.pk')
              .whereRef('earlier.session_pk', '=', 'runs.session_pk')
              .whereRef('earlier.ordinal', '<', 'runs.ordinal')
              .where('earlier.ended', '=', sql.lit(0)),
          ),
        ),
      )
      .orderBy('runs.pk'),
  ),
  /** Runs of a driver that have begun. */
  listBegunRunsOf: all<
    { driver: number },
    Pick<RunRow, 'pk' | 'tenant' | 'id' | 'session' | 'seq' | 'fence'>
  >((k, p) =>
    k
      .selectFrom('runs')
      .select([...placeColumns, 'seq', 'fence'])
      .where('ended', '=', sql.lit(0))
      .where('driver', '=', p.driver)
      .where('seq', '>', sql.lit(0))
      .orderBy('pk'),
  ),
  /** Takes all unfinished runs away from a driver: they want another one. */
  abandonRunsOf: change<{ driver: number }>((k, p) =>
    k
      .updateTable('runs')
      .set({ driver: null })
      .where('driver', '=', p.driver)
      .where('ended', '=', sql.lit(0)),
  ),
  countFault: change<{ pk: number }>((k, p) =>
    k
      .updateTable('runs')
      .set((e) => ({ faults: e('faults', '+', 1) }))
      .where('pk', '=', p.pk),
  ),
  lastOrdinal: one<{ session: number }, { ordinal: number | null }>((k, p) =>
    k
      .selectFrom('runs')
      .select((e) => e.fn.max('ordinal').as('ordinal'))
      .where('session_pk', '=', p.session),
  ),
  /** The first run of the lane that has not ended. */
  laneHead: one<{ session: number }, RunRow>(
    (k, p) => activeRuns(k).where('runs.session_pk', '=', p.session).orderBy('runs.ordinal').limit(1),
    'no key update of runs',
  ),
  /** The takeover of a session that has not ended. */
  findTakeover: one<{ session: number }, RunRow>(
    (k, p) =>
      activeRuns(k)
        .where('runs.session_pk', '=', p.session)
        .where('runs.machine', '=', sql.lit('takeover'))
        .limit(1),
    'no key update of runs',
  ),
  /** All runs that have not ended, of every tenant: only drivers call it. */
  listActiveRuns: all<Record<string, never>, RunRow>((k) =>
    activeRuns(k).orderBy('runs.session_pk').orderBy('runs.ordinal'),
  ),
  /** The next of them behind a run, by session and place in its lane. */
  listActiveRunsAfter: all<{ session: number; ordinal: number; limit: number }, TakeableRun>((k, p) =>
    k
      .selectFrom('runs')
      .select(takeableColumns)
      .where('runs.ended', '=', sql.lit(0))
      .where(sql<boolean>`(runs.session_pk, runs.ordinal) > (${p.session}, ${p.ordinal})`)
      .orderBy('runs.session_pk')
      .orderBy('runs.ordinal')
      .limit(p.limit),
  ),
  listActiveRunsOf: all<{ session: number }, RunRow>(
    (k, p) => activeRuns(k).where('runs.session_pk', '=', p.session).orderBy('runs.ordinal'),
    'no key update of runs',
  ),
  /** Newest first. */
  listRuns: all<Scoped & { limit: number }, RunRow>((k, p) =>
    seen(k).where('runs.tenant_id', '=', p.tenant).orderBy('runs.pk', 'desc').limit(p.limit),
  ),
  /** Those created before the run `below` (its `pk`), newest first. */
  listRunsBefore: all<Scoped & { below: number; limit: number }, RunRow>((k, p) =>
    seen(k)
      .where('runs.tenant_id', '=', p.tenant)
      .where('runs.pk', '<', p.below)
      .orderBy('runs.pk', 'desc')
      .limit(p.limit),
  ),
  /** The same, of the sessions that belong to a user. */
  listUserRunsBefore: all<Scoped & { user: string; below: number; limit: number }, RunRow>(
    (k, p, { unindexed }) =>
      seen(k)
        .where('sessions.tenant_id', '=', p.tenant)
        .where('sessions.user_id', '=', p.user)
        // By these the planner would read the runs of all users.
        .where(unindexed<number>('runs.tenant_id'), '=', p.tenant)
        .where(unindexed<number>('runs.pk'), '<', p.below)
        .orderBy('runs.pk', 'desc')
        .limit(p.limit),
  ),
  /** How many unfinished runs are in each state (JSON) of each machine, by their driver. A null user counts those of the whole tenant. */
  countActiveRuns: all<Scoped & { user: string | null; reach: string | null }, StateCount>((k, p, d) =>
    counted(k, p, d)
      .select([isUnstarted.as('unstarted'), 'runs.driver'])
      .where('runs.ended', '=', sql.lit(0))
      .groupBy([isUnstarted, 'runs.driver'])
      .orderBy(isUnstarted)
      .orderBy('runs.driver'),
  ),
  /** How many runs ended at `since` or later in each state. */
  countEndedRuns: all<Scoped & { user: string | null; reach: string | null; since: number }, StateCount>(
    (k, p, d) =>
      counted(k, p, d).where('runs.ended', '=', sql.lit(1)).where('runs.updated_at', '>=', p.since),
  ),
  /** Newest run that is not a sub-run. */
  newestRun: one<Scoped, RunRow>((k, p) =>
    seen(k)
      .where('runs.tenant_id', '=', p.tenant)
      .where('runs.id', 'not like', sql.lit(subRunIds))
      .orderBy('runs.pk', 'desc')
      .limit(sql.lit(1)),
  ),
  /** Ids from `from` up to, but not including, `below`, in their order; without those of sub-runs. */
  // Two bounds instead of a pattern, so that the index of ids answers it.
  listRunIds: all<Scoped & { from: string; below: string; limit: number }, { id: string }>((k, p) =>
    k
      .selectFrom('runs')
      .select('id')
      .where('tenant_id', '=', p.tenant)
      .where('id', '>=', p.from)
      .where('id', '<', p.below)
      .where('id', 'not like', sql.lit(subRunIds))
      .where('machine', '<>', sql.lit('job'))
      .orderBy('id')
      .limit(p.limit),
  ),
  listRunsOf: all<{ session: number; limit: number }, RunRow>((k, p) =>
    runs(k).where('runs.session_pk', '=', p.session).orderBy('runs.ordinal', 'desc').limit(p.limit),
  ),
  /**
   * Ended runs of jobs that moved last before `before`, of every tenant, and that no job names: the job went on in another
   * one, or was removed.
   */
  listLeftJobRuns: all<{ before: number; limit: number }, RunRow>((k, p) =>
    runs(k)
      .where('runs.machine', '=', sql.lit('job'))
      .where('runs.ended', '=', sql.lit(1))
      .where('runs.updated_at', '<', p.before)
      .where((e) =>
        e.not(e.exists(e.selectFrom('jobs').select('jobs.id').whereRef('jobs.run_pk', '=', 'runs.pk'))),
      )
      .orderBy('runs.updated_at')
      .orderBy('runs.pk')
      .limit(p.limit),
  ),
  /** Deletes a run with all its rows except messages. */
  deleteRun: change<{ run: number }>((k, p) => k.deleteFrom('runs').where('pk', '=', p.run)),
  /** Marks of the runs created after the run `after`, oldest first. They show whether a run has moved. */
  listRunMarks: all<Scoped & { after: number; limit: number }, RunMark>((k, p) =>
    k
      .selectFrom('runs')
      .innerJoin('sessions', 'sessions.pk', 'runs.session_pk')
      .select(['runs.pk', 'runs.id', 'runs.seq', 'runs.ended', 'sessions.key as sessionKey'])
      .where('runs.tenant_id', '=', p.tenant)
      .where('runs.pk', '>', p.after)
      .where('runs.machine', '<>', sql.lit('job'))
      .orderBy('runs.pk')
      .limit(p.limit),
  ),
};
