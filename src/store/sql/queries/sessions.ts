import { type Kysely, sql } from 'kysely';
import type { SessionStatements } from '../../statements/sessions.ts';
import type { Database } from '../schema.ts';
import { nextKey, type Queries } from './query.ts';

/** Newest first, with their number of runs. */
const listed = (k: Kysely<Database>) =>
  k
    .selectFrom('sessions')
    .select((e) => [
      'pk',
      'key',
      'created_at as createdAt',
      e
        .selectFrom('runs')
        .select((r) => r.fn.countAll<number>().as('count'))
        .whereRef('runs.session_pk', '=', 'sessions.pk')
        .$asScalar()
        .$notNull()
        .as('runs'),
    ])
    // Those of jobs' own runs begin with a control character. The "+" keeps the planner from sorting by the key.
    .where(sql<boolean>`+key >= ' '`)
    .orderBy('pk', 'desc');

export const sessionQueries = {
  findSession: [
    'get',
    (k, p) =>
      k
        .selectFrom('sessions')
        .select([
          'pk',
          'user_id as user',
          'head_run as headRun',
          'head_seq as headSeq',
          'pruned_run as prunedRun',
          'pruned_seq as prunedSeq',
        ])
        .where('tenant_id', '=', p.tenant)
        .where('key', '=', p.key),
  ],
  insertSession: [
    'get',
    (k, p) =>
      k
        .insertInto('sessions')
        .values({
          pk: nextKey(k, 'sessions'),
          tenant_id: p.tenant,
          key: p.key,
          user_id: p.user,
          head_run: 0,
          head_seq: 0,
          created_at: p.at,
        })
        .returning('pk'),
  ],
  listSessions: ['all', (k, p) => listed(k).where('tenant_id', '=', p.tenant).limit(p.limit)],
  listUserSessions: [
    'all',
    (k, p) => listed(k).where('tenant_id', '=', p.tenant).where('user_id', '=', p.user).limit(p.limit),
  ],
  describeSession: [
    'get',
    (k, p) =>
      k
        .selectFrom('sessions')
        .select((e) => [
          'created_at as createdAt',
          e
            .selectFrom('messages')
            .select((m) => m.fn.countAll<number>().as('count'))
            .whereRef('messages.session_pk', '=', 'sessions.pk')
            .where('messages.role', 'not in', ['summary', 'withdrawn'])
            .$asScalar()
            .$notNull()
            .as('messages'),
          e
            .selectFrom('runs')
            .select((r) => r.fn.max('runs.updated_at').as('at'))
            .whereRef('runs.session_pk', '=', 'sessions.pk')
            .as('updatedAt'),
        ])
        .where('pk', '=', p.session),
  ],
  deleteRunsOf: ['run', (k, p) => k.deleteFrom('runs').where('session_pk', '=', p.session)],
  deleteSession: ['run', (k, p) => k.deleteFrom('sessions').where('pk', '=', p.session)],
  moveSessionHead: [
    'run',
    (k, p) => k.updateTable('sessions').set({ head_run: p.run, head_seq: p.seq }).where('pk', '=', p.session),
  ],
  moveSessionPruning: [
    'run',
    (k, p) =>
      k.updateTable('sessions').set({ pruned_run: p.run, pruned_seq: p.seq }).where('pk', '=', p.session),
  ],
} satisfies Queries<SessionStatements>;
