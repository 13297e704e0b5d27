import { type Compilable, type Kysely, sql } from 'kysely';
import type { In, Out, StatementName } from '../../engine/statements.ts';
import type { Database } from './schema.ts';

/** Parameter marks by the names of a statement's input. `never` fits wherever Kysely wants a value. */
type Marks<T> = { readonly [N in keyof T]-?: never };
type RowOf<O> = O extends (infer R)[] ? R : O extends number ? unknown : NonNullable<O>;
type Build<K extends StatementName> = (k: Kysely<Database>, p: Marks<In<K>>) => Compilable<RowOf<Out<K>>>;

/** One row or none, all rows, or the number of changed ones. */
export type Kind = 'get' | 'all' | 'run';
type KindOf<O> = O extends unknown[] ? 'all' : O extends number ? 'run' : 'get';

const runColumns = [
  'runs.pk',
  'runs.tenant_id as tenant',
  'runs.id',
  'runs.session_pk as session',
  'sessions.key as sessionKey',
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
  'runs.fence',
  'runs.faults',
  'runs.created_at as createdAt',
  'runs.updated_at as updatedAt',
] as const;

const runs = (k: Kysely<Database>) =>
  k.selectFrom('runs').innerJoin('sessions', 'sessions.pk', 'runs.session_pk').select(runColumns);

/** A literal, not a parameter: the planner uses a partial index only for a value that it can see. */
const activeRuns = (k: Kysely<Database>) => runs(k).where('runs.ended', '=', sql.lit(0));

const effects = (k: Kysely<Database>) =>
  k
    .selectFrom('effects')
    .select(['run_pk as run', 'n', 'name', 'params', 'input', 'status', 'attempt', 'fence']);

const messages = (k: Kysely<Database>) =>
  k
    .selectFrom('messages')
    .select(['session_pk as session', 'run_pk as run', 'seq', 'i', 'role', 'body', 'at']);

const confirmations = (k: Kysely<Database>) =>
  k
    .selectFrom('confirmations')
    .select(['run_pk as run', 'call', 'kind', 'status', 'hash', 'body', 'decision', 'asked_at as askedAt']);

/** Every statement, built by Kysely so that one text serves SQLite and PostgreSQL. */
export const queries: { readonly [K in StatementName]: readonly [KindOf<Out<K>>, Build<K>] } = {
  findSession: [
    'get',
    (k, p) =>
      k
        .selectFrom('sessions')
        .select(['pk', 'head_run as headRun', 'head_seq as headSeq'])
        .where('tenant_id', '=', p.tenant)
        .where('key', '=', p.key),
  ],
  insertSession: [
    'get',
    (k, p) =>
      k
        .insertInto('sessions')
        .values({ tenant_id: p.tenant, key: p.key, head_run: 0, head_seq: 0, created_at: p.at })
        .returning('pk'),
  ],
  listSessions: [
    'all',
    (k, p) =>
      k
        .selectFrom('sessions')
        .leftJoin('runs', 'runs.session_pk', 'sessions.pk')
        .select((e) => [
          'sessions.pk',
          'sessions.key',
          'sessions.created_at as createdAt',
          e.fn.count<number>('runs.pk').as('runs'),
        ])
        .where('sessions.tenant_id', '=', p.tenant)
        .groupBy(['sessions.pk', 'sessions.key', 'sessions.created_at'])
        .orderBy('sessions.pk', 'desc')
        .limit(p.limit),
  ],
  moveSessionHead: [
    'run',
    (k, p) => k.updateTable('sessions').set({ head_run: p.run, head_seq: p.seq }).where('pk', '=', p.session),
  ],

  insertRun: [
    'get',
    (k, p) =>
      k
        .insertInto('runs')
        .values({
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
          fence: p.fence,
          faults: 0,
          created_at: p.createdAt,
          updated_at: p.createdAt,
        })
        .returning('pk'),
  ],
  loadRun: ['get', (k, p) => runs(k).where('runs.tenant_id', '=', p.tenant).where('runs.id', '=', p.id)],
  advanceRun: [
    'run',
    (k, p) =>
      k
        .updateTable('runs')
        .set({
          seq: p.seq,
          ended: p.ended,
          state: p.state,
          context: p.context,
          output: p.output,
          updated_at: p.updatedAt,
        })
        .where('pk', '=', p.pk)
        .where('seq', '=', p.was)
        .where('fence', '=', p.fence),
  ],
  claimRun: [
    'run',
    (k, p) =>
      k
        .updateTable('runs')
        .set({ fence: p.fence })
        .where('pk', '=', p.pk)
        .where('fence', '<', p.fence)
        .where('ended', '=', 0),
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
  listActiveRunsOf: [
    'all',
    (k, p) => activeRuns(k).where('runs.session_pk', '=', p.session).orderBy('runs.ordinal'),
  ],
  listRuns: [
    'all',
    (k, p) => runs(k).where('runs.tenant_id', '=', p.tenant).orderBy('runs.pk', 'desc').limit(p.limit),
  ],
  listRunsOf: [
    'all',
    (k, p) => runs(k).where('runs.session_pk', '=', p.session).orderBy('runs.ordinal', 'desc').limit(p.limit),
  ],

  insertEvent: [
    'run',
    (k, p) =>
      k.insertInto('run_events').values({
        run_pk: p.run,
        seq: p.seq,
        tenant_id: p.tenant,
        type: p.type,
        body: p.body,
        at: p.at,
        path: p.path,
        hash: p.hash,
        dedupe_key: p.key,
      }),
  ],
  findEventByKey: [
    'get',
    (k, p) =>
      k.selectFrom('run_events').select('seq').where('run_pk', '=', p.run).where('dedupe_key', '=', p.key),
  ],
  listEvents: [
    'all',
    (k, p) =>
      k
        .selectFrom('run_events')
        .select(['run_pk as run', 'seq', 'type', 'body', 'at', 'path', 'hash'])
        .where('run_pk', '=', p.run)
        .where('seq', '>', p.after)
        .orderBy('seq')
        .limit(p.limit),
  ],

  insertEffect: [
    'run',
    (k, p) =>
      k.insertInto('effects').values({
        run_pk: p.run,
        n: p.n,
        tenant_id: p.tenant,
        name: p.name,
        params: p.params,
        input: p.input,
        status: p.status,
        attempt: p.attempt,
        fence: p.fence,
        created_at: p.at,
        updated_at: p.at,
      }),
  ],
  startEffect: [
    'run',
    (k, p) =>
      k
        .updateTable('effects')
        .set((e) => ({
          attempt: e('attempt', '+', p.attempts),
          status: p.status,
          fence: p.fence,
          updated_at: p.at,
        }))
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n)
        .where((e) =>
          e.or([
            e('status', 'in', ['held', 'pending', 'uncertain']),
            e.and([e('status', '=', 'started'), e('fence', '<', p.fence)]),
          ]),
        ),
  ],
  settleEffect: [
    'run',
    (k, p) =>
      k
        .updateTable('effects')
        .set({ status: p.status, updated_at: p.at })
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n)
        .where('status', '=', 'started'),
  ],
  closeEffect: [
    'run',
    (k, p) =>
      k
        .updateTable('effects')
        .set({ status: 'cancelled', updated_at: p.at })
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n)
        .where('status', 'in', ['held', 'pending', 'started', 'uncertain']),
  ],
  changeEffectInput: [
    'run',
    (k, p) =>
      k.updateTable('effects').set({ input: p.input }).where('run_pk', '=', p.run).where('n', '=', p.n),
  ],
  findEffect: ['get', (k, p) => effects(k).where('run_pk', '=', p.run).where('n', '=', p.n)],
  listOpenEffects: [
    'all',
    (k, p) =>
      effects(k)
        .where('run_pk', '=', p.run)
        .where('status', 'in', ['held', 'pending', 'started', 'uncertain'])
        .orderBy('n'),
  ],
  listEffects: ['all', (k, p) => effects(k).where('run_pk', '=', p.run).orderBy('n')],

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
  listDueTimers: [
    'all',
    (k, p) =>
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
        ])
        .where('timers.due_at', '<=', p.before)
        .where('runs.fence', '>=', p.fence)
        .orderBy('timers.due_at')
        .orderBy('timers.run_pk')
        .orderBy('timers.id')
        .limit(p.limit),
  ],
  nextTimer: [
    'get',
    (k, p) =>
      k
        .selectFrom('timers')
        .innerJoin('runs', 'runs.pk', 'timers.run_pk')
        .select((e) => e.fn.min('timers.due_at').as('dueAt'))
        .where('runs.fence', '>=', p.fence),
  ],

  insertMessage: [
    'run',
    (k, p) =>
      k.insertInto('messages').values({
        session_pk: p.session,
        run_pk: p.run,
        seq: p.seq,
        i: p.i,
        tenant_id: p.tenant,
        role: p.role,
        body: p.body,
        at: p.at,
      }),
  ],
  listMessages: [
    'all',
    (k, p) =>
      messages(k)
        .where('session_pk', '=', p.session)
        // Implied by the next line; without it the planner reads the session from its first message on.
        .where('run_pk', '>=', p.run)
        .where((e) => e.or([e('run_pk', '>', p.run), e('seq', '>=', p.seq)]))
        .orderBy('run_pk')
        .orderBy('seq')
        .orderBy('i'),
  ],
  listMessagesOfRun: [
    'all',
    (k, p) =>
      messages(k).where('session_pk', '=', p.session).where('run_pk', '=', p.run).orderBy('seq').orderBy('i'),
  ],
  lastSummary: [
    'get',
    (k, p) =>
      messages(k)
        .where('session_pk', '=', p.session)
        .where('role', '=', 'summary')
        .orderBy('run_pk', 'desc')
        .orderBy('seq', 'desc')
        .orderBy('i', 'desc')
        .limit(1),
  ],

  insertConfirmation: [
    'run',
    (k, p) =>
      k
        .insertInto('confirmations')
        .values({
          run_pk: p.run,
          call: p.call,
          tenant_id: p.tenant,
          kind: p.kind,
          status: 'open',
          hash: p.hash,
          body: p.body,
          decision: null,
          asked_at: p.askedAt,
        })
        // A call that was approved, ran, and became uncertain is asked about again.
        .onConflict((c) =>
          c.columns(['run_pk', 'call']).doUpdateSet({
            kind: p.kind,
            status: 'open',
            hash: p.hash,
            body: p.body,
            asked_at: p.askedAt,
          }),
        ),
  ],
  decideConfirmation: [
    'run',
    (k, p) =>
      k
        .updateTable('confirmations')
        .set({ status: p.status, decision: p.decision })
        .where('run_pk', '=', p.run)
        .where('call', '=', p.call)
        .where('status', '=', 'open'),
  ],
  findConfirmation: [
    'get',
    (k, p) => confirmations(k).where('run_pk', '=', p.run).where('call', '=', p.call),
  ],
  listConfirmations: ['all', (k, p) => confirmations(k).where('run_pk', '=', p.run).orderBy('call')],

  insertArtifact: [
    'run',
    (k, p) =>
      k.insertInto('artifacts').values({
        tenant_id: p.tenant,
        id: p.id,
        run_pk: p.run,
        mime: p.mime,
        body: p.body,
        created_at: p.createdAt,
      }),
  ],
  findArtifact: [
    'get',
    (k, p) =>
      k
        .selectFrom('artifacts')
        .select(['id', 'run_pk as run', 'mime', 'body', 'created_at as createdAt'])
        .where('tenant_id', '=', p.tenant)
        .where('id', '=', p.id),
  ],

  insertDriver: [
    'get',
    (k, p) => k.insertInto('drivers').values({ pid: p.pid, started_at: p.at }).returning('epoch'),
  ],
  lastDriver: [
    'get',
    (k) => k.selectFrom('drivers').select(['epoch', 'pid']).orderBy('epoch', 'desc').limit(1),
  ],
};
