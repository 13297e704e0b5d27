import { type Kysely, sql } from 'kysely';
import { ownSessions } from '../../protocol/access.ts';
import type { Database } from '../query/database.ts';
import type { Dialect } from '../query/dialect.ts';
import { add, all, change, columnsOf, one } from '../query/query.ts';
import type { Row, Scoped } from '../rows.ts';

type ListedSession = Pick<Row<'sessions'>, 'pk' | 'key' | 'createdAt'> & { runs: number };

export interface Listed {
  /** 1: those of slots of jobs that have ended are left out. 0: all others are. 2: none is. A slot that a person continues has not ended. */
  without: 0 | 1 | 2;
  /** 0: all are listed. 1: those that are kept, because they are pinned or have an unfinished run, and the one of `key`. 2: that one alone. */
  kept: 0 | 1 | 2;
  key: string;
  limit: number;
}

/** Newest first, with their number of runs. */
const listedSessions = (k: Kysely<Database>, p: { [K in keyof Listed]: never }, { unindexed }: Dialect) =>
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
    // Sessions of jobs' own runs have keys that begin with a control character. An index of keys would make SQLite sort the rest.
    .where(unindexed<string>('key'), '>=', sql.lit(' '))
    .where((e) => {
      const runs = e.selectFrom('runs').whereRef('runs.session_pk', '=', 'sessions.pk');
      const unfinished = e.exists(runs.select('runs.pk').where('runs.ended', '=', sql.lit(0)));
      const isSlot = e.and([
        e(unindexed<string>('key'), 'like', sql.lit(`${ownSessions.job}%:run_%`)),
        e(
          runs.select((r) => r.fn.countAll<number>().as('count')),
          '=',
          sql.lit(1),
        ),
        e.not(unfinished),
      ]);
      const isKept = e.or([e('pinned', '=', sql.lit(1)), unfinished]);
      return e.and([
        e(e.case().when(isSlot).then(sql.lit(1)).else(sql.lit(0)).end(), '<>', p.without),
        e.or([
          e(unindexed<string>('key'), '=', p.key),
          e(e.case().when(isKept).then(sql.lit(1)).else(sql.lit(0)).end(), '>=', p.kept),
        ]),
      ]);
    })
    .orderBy('pk', 'desc')
    .limit(p.limit);

/** The sessions of a tenant. */
export const sessionStatements = {
  findSession: one<Scoped & { key: string }, Omit<Row<'sessions'>, 'key' | 'createdAt'>>(
    (k, p) =>
      k
        .selectFrom('sessions')
        .select(columnsOf('sessions', ['key', 'created_at']))
        .where('tenant_id', '=', p.tenant)
        .where('key', '=', p.key),
    'no key update',
  ),
  insertSession: add<Scoped & { key: string; user: string | null; at: number }, { pk: number }>((k, p, d) =>
    k
      .insertInto('sessions')
      .values({
        pk: d.nextKey(k, 'sessions'),
        tenant_id: p.tenant,
        key: p.key,
        user_id: p.user,
        head_run: 0,
        head_seq: 0,
        created_at: p.at,
      })
      .returning('pk'),
  ),
  /** Newest first. */
  listSessions: all<Scoped & Listed, ListedSession>((k, p, d) =>
    listedSessions(k, p, d).where('tenant_id', '=', p.tenant),
  ),
  /** The same, of those that belong to a user. */
  listUserSessions: all<Scoped & Listed & { user: string }, ListedSession>((k, p, d) =>
    listedSessions(k, p, d).where('tenant_id', '=', p.tenant).where('user_id', '=', p.user),
  ),
  /** The columns of a session list, apart from its runs. `messages` does not count summaries. `updatedAt` is when a run of it last moved; null without runs. */
  describeSession: one<
    { session: number },
    Pick<Row<'sessions'>, 'createdAt' | 'title' | 'pinned' | 'user'> & {
      messages: number;
      /** How many of its runs are forks. */
      forks: number;
      updatedAt: number | null;
    }
  >((k, p, d) =>
    k
      .selectFrom('sessions')
      .select((e) => [
        'created_at as createdAt',
        'title',
        'pinned',
        'user_id as user',
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
          .select((r) => r.fn.countAll<number>().as('count'))
          .whereRef('runs.session_pk', '=', 'sessions.pk')
          .where(d.jsonField('runs.options', 'forkedFrom'), 'is not', null)
          .$asScalar()
          .$notNull()
          .as('forks'),
        e
          .selectFrom('runs')
          .select((r) => r.fn.max('runs.updated_at').as('at'))
          .whereRef('runs.session_pk', '=', 'sessions.pk')
          .as('updatedAt'),
      ])
      .where('pk', '=', p.session),
  ),
  /** Deletes runs with all their rows except messages. */
  deleteRunsOf: change<{ session: number }>((k, p) =>
    k.deleteFrom('runs').where('session_pk', '=', p.session),
  ),
  /** Deletes a session with its messages. Its runs must be deleted before. */
  deleteSession: change<{ session: number }>((k, p) => k.deleteFrom('sessions').where('pk', '=', p.session)),
  nameSession: change<{ session: number; title: string | null; pinned: number }>((k, p) =>
    k.updateTable('sessions').set({ title: p.title, pinned: p.pinned }).where('pk', '=', p.session),
  ),
  moveSessionHead: change<{ session: number; run: number; seq: number }>((k, p) =>
    k.updateTable('sessions').set({ head_run: p.run, head_seq: p.seq }).where('pk', '=', p.session),
  ),
  /** Moves the place up to which tool results are shortened in the prompt. */
  moveSessionPruning: change<{ session: number; run: number; seq: number }>((k, p) =>
    k.updateTable('sessions').set({ pruned_run: p.run, pruned_seq: p.seq }).where('pk', '=', p.session),
  ),
};
