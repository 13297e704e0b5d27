import { type Kysely, sql } from 'kysely';
import { noDriver } from '../../rows.ts';
import type { RunStatements } from '../../statements/runs.ts';
import type { Database } from '../schema.ts';
import { nextKey, type Queries } from './query.ts';
import { isWithinReach } from './reach.ts';

const runColumns = [
  'runs.pk',
  'runs.tenant_id as tenant',
  'runs.id',
  'runs.session_pk as session',
  'sessions.key as sessionKey',
  'sessions.user_id as user',
  'runs.ordinal',
  'runs.machine',
  'runs.version',
  'runs.seq',
  'runs.ended',
  'runs.state',
  'runs.context',
  'runs.input',
  'runs.options',
  'runs.output',
  'runs.driver',
  'runs.last_driver as lastDriver',
  'runs.fence',
  'runs.faults',
  'runs.created_at as createdAt',
  'runs.updated_at as updatedAt',
] as const;

/** Of a run that is only looked up. Its context may be long, and its other columns with it. */
const placeColumns = [
  'runs.pk',
  'runs.tenant_id as tenant',
  'runs.id',
  'runs.session_pk as session',
] as const;

/** Of a run that a driver may take. Its state and context are long, and there may be many such runs. */
const takeableColumns = [
  ...placeColumns,
  'runs.ordinal',
  'runs.machine',
  'runs.version',
  'runs.seq',
  'runs.ended',
  'runs.options',
  'runs.driver',
  'runs.last_driver as lastDriver',
  'runs.fence',
] as const;

const runs = (k: Kysely<Database>) =>
  k.selectFrom('runs').innerJoin('sessions', 'sessions.pk', 'runs.session_pk').select(runColumns);

/** Those that people see: a job is told of by its slots. */
const seen = (k: Kysely<Database>) => runs(k).where('runs.machine', '<>', sql.lit('job'));

/** Uses a literal, not a parameter: the planner uses a partial index only for a value that it can see. */
const activeRuns = (k: Kysely<Database>) => runs(k).where('runs.ended', '=', sql.lit(0));

/** By their state. A null user matches every session, so one statement serves both. */
const counted = (k: Kysely<Database>, p: { tenant: never; user: never; reach: never }) =>
  k
    .selectFrom('runs')
    .select((e) => ['runs.machine', 'runs.state', e.fn.countAll<number>().as('runs')])
    .where('runs.tenant_id', '=', p.tenant)
    .where('runs.machine', '<>', sql.lit('job'))
    .where(
      sql<boolean>`(${p.user} is null or exists
        (select 1 from sessions where pk = runs.session_pk and user_id = ${p.user}))`,
    )
    .where(isWithinReach(p.reach))
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
    .where('driver', 'is', p.wasDriver);

export const runQueries = {
  insertRun: [
    'get',
    (k, p) =>
      k
        .insertInto('runs')
        .values({
          pk: nextKey(k, 'runs'),
          tenant_id: p.tenant,
          id: p.id,
          session_pk: p.session,
          ordinal: p.ordinal,
          machine: p.machine,
          version: p.version,
          seq: p.seq,
          ended: p.ended,
          state: p.state,
          context: p.context,
          input: p.input,
          options: p.options,
          output: p.output,
          driver: p.driver,
          last_driver: p.lastDriver,
          fence: p.fence,
          faults: 0,
          created_at: p.createdAt,
          updated_at: p.createdAt,
        })
        .returning('pk'),
  ],
  loadRun: ['get', (k, p) => runs(k).where('runs.tenant_id', '=', p.tenant).where('runs.id', '=', p.id)],
  findRunOwner: [
    'get',
    (k, p) =>
      k
        .selectFrom('runs')
        .innerJoin('sessions', 'sessions.pk', 'runs.session_pk')
        .select(['sessions.key as sessionKey', 'sessions.user_id as user'])
        .where('runs.tenant_id', '=', p.tenant)
        .where('runs.id', '=', p.id)
        .where(isWithinReach(p.reach)),
  ],
  findRunBeyond: [
    'get',
    (k, p) =>
      k
        .selectFrom('runs')
        .select('runs.pk')
        .where('runs.session_pk', '=', p.session)
        .where(sql<boolean>`not ${isWithinReach(p.reach)}`)
        .limit(sql.lit(1)),
  ],
  advanceRun: [
    'run',
    (k, p) => moving(k, p).set({ seq: p.seq, state: p.state, context: p.context, updated_at: p.updatedAt }),
  ],
  endRun: [
    'run',
    (k, p) =>
      moving(k, p).set({
        seq: p.seq,
        ended: 1,
        state: p.state,
        context: p.context,
        output: p.output,
        updated_at: p.updatedAt,
      }),
  ],
  migrateRun: [
    'run',
    (k, p) =>
      moving(k, p)
        .set({ seq: p.seq, version: p.version, state: p.state, context: p.context, options: p.options })
        .where('ended', '=', 0),
  ],
  claimRun: [
    'run',
    (k, p) =>
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
            e.selectFrom('drivers').select('epoch').where('epoch', '=', p.me).where('ended_at', 'is', null),
          ),
        ),
  ],
  changeRunOptions: [
    'run',
    (k, p) => k.updateTable('runs').set({ options: p.options }).where('pk', '=', p.pk),
  ],
  passRun: ['run', (k, p) => k.updateTable('runs').set({ driver: p.driver }).where('pk', '=', p.pk)],
  listAbandonedRuns: [
    'all',
    (k, p) =>
      k
        .selectFrom('runs')
        .select([...placeColumns, 'runs.last_driver as lastDriver', 'runs.updated_at as updatedAt'])
        .where('runs.ended', '=', sql.lit(0))
        .where('runs.driver', 'is', null)
        .where('runs.pk', '>', p.after)
        .orderBy('runs.pk')
        .limit(p.limit),
  ],
  listOwnHeads: [
    'all',
    (k, p) =>
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
  ],
  abandonRunsOf: [
    'run',
    (k, p) =>
      k
        .updateTable('runs')
        .set({ driver: null })
        .where('driver', '=', p.driver)
        .where('ended', '=', sql.lit(0)),
  ],
  countFault: [
    'run',
    (k, p) =>
      k
        .updateTable('runs')
        .set((e) => ({ faults: e('faults', '+', 1) }))
        .where('pk', '=', p.pk),
  ],
  lastOrdinal: [
    'get',
    (k, p) =>
      k
        .selectFrom('runs')
        .select((e) => e.fn.max('ordinal').as('ordinal'))
        .where('session_pk', '=', p.session),
  ],
  laneHead: [
    'get',
    (k, p) => activeRuns(k).where('runs.session_pk', '=', p.session).orderBy('runs.ordinal').limit(1),
  ],
  listActiveRuns: ['all', (k) => activeRuns(k).orderBy('runs.session_pk').orderBy('runs.ordinal')],
  listActiveRunsAfter: [
    'all',
    (k, p) =>
      k
        .selectFrom('runs')
        .select(takeableColumns)
        .where('runs.ended', '=', sql.lit(0))
        .where(sql<boolean>`(runs.session_pk, runs.ordinal) > (${p.session}, ${p.ordinal})`)
        .orderBy('runs.session_pk')
        .orderBy('runs.ordinal')
        .limit(p.limit),
  ],
  listActiveRunsOf: [
    'all',
    (k, p) => activeRuns(k).where('runs.session_pk', '=', p.session).orderBy('runs.ordinal'),
  ],
  listRuns: [
    'all',
    (k, p) => seen(k).where('runs.tenant_id', '=', p.tenant).orderBy('runs.pk', 'desc').limit(p.limit),
  ],
  listRunsBefore: [
    'all',
    (k, p) =>
      seen(k)
        .where('runs.tenant_id', '=', p.tenant)
        .where('runs.pk', '<', p.below)
        .orderBy('runs.pk', 'desc')
        .limit(p.limit),
  ],
  listUserRunsBefore: [
    'all',
    (k, p) =>
      seen(k)
        .where('sessions.tenant_id', '=', p.tenant)
        .where('sessions.user_id', '=', p.user)
        // The "+" keeps the planner from reading the runs of all users.
        .where(sql<boolean>`+runs.tenant_id = ${p.tenant}`)
        .where(sql<boolean>`+runs.pk < ${p.below}`)
        .orderBy('runs.pk', 'desc')
        .limit(p.limit),
  ],
  countActiveRuns: [
    'all',
    (k, p) =>
      counted(k, p)
        .select(isUnstarted.as('unstarted'))
        .where('runs.ended', '=', sql.lit(0))
        .groupBy(isUnstarted)
        .orderBy(isUnstarted),
  ],
  countEndedRuns: [
    'all',
    (k, p) => counted(k, p).where('runs.ended', '=', sql.lit(1)).where('runs.updated_at', '>=', p.since),
  ],
  newestRun: [
    'get',
    (k, p) =>
      seen(k)
        .where('runs.tenant_id', '=', p.tenant)
        .where('runs.id', 'not like', sql.lit(subRunIds))
        .orderBy('runs.pk', 'desc')
        .limit(sql.lit(1)),
  ],
  // Two bounds instead of a pattern, so that the index of ids answers it.
  listRunIds: [
    'all',
    (k, p) =>
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
  ],
  listRunsOf: [
    'all',
    (k, p) => runs(k).where('runs.session_pk', '=', p.session).orderBy('runs.ordinal', 'desc').limit(p.limit),
  ],
  listLeftJobRuns: [
    'all',
    (k, p) =>
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
  ],
  deleteRun: ['run', (k, p) => k.deleteFrom('runs').where('pk', '=', p.run)],
  listRunMarks: [
    'all',
    (k, p) =>
      k
        .selectFrom('runs')
        .innerJoin('sessions', 'sessions.pk', 'runs.session_pk')
        .select(['runs.pk', 'runs.id', 'runs.seq', 'runs.ended', 'sessions.key as sessionKey'])
        .where('runs.tenant_id', '=', p.tenant)
        .where('runs.pk', '>', p.after)
        .where('runs.machine', '<>', sql.lit('job'))
        .orderBy('runs.pk')
        .limit(p.limit),
  ],
} satisfies Queries<RunStatements>;
