import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { add, all, change, columnsOf, one, valuesOf } from '../query/query.ts';
import type { BudgetRow, LeavingRow, RequestKeyRow, Row, Scoped, UploadRow } from '../rows.ts';

type OfUser = Scoped & { user: string };
type Claim = Scoped & { from: string; to: string };

const leavings = (k: Kysely<Database>) => k.selectFrom('leavings').select(columnsOf('leavings'));

/** The accounts of a user, of all budgets and periods: their names end with the user, and names of budgets have no colon. */
const isAccountOf = (user: never) => {
  const end = sql`cast(':' as text) || ${user}`;
  return sql<boolean>`substr(id, length(id) - length(${end}) + 1) = ${end}
    and substr(id, 1, length(id) - length(${end})) not like '%:%'`;
};

/** Gives all rows of a guest to a user. */
const given = (table: 'sessions' | 'usage' | 'uploads' | 'jobs') =>
  change<Claim>((k, p) =>
    k
      .updateTable(table)
      .set({ user_id: p.to })
      .where('tenant_id', '=', p.tenant)
      .where('user_id', '=', p.from),
  );

/** Users who go: over to another one, or for good. */
export const userStatements = {
  /** A user who came back may be noted from the last time. */
  insertLeaving: add<LeavingRow & Scoped, { user: string }>((k, p) =>
    k
      .insertInto('leavings')
      .values(valuesOf('leavings', p))
      .onConflict((c) =>
        c.columns(['tenant_id', 'user_id']).doUpdateSet({ to_user: p.toUser, done: p.done, at: p.at }),
      )
      .returning('user_id as user'),
  ),
  /** A user who is forgotten may come back, even if the host is still to be told. */
  findLeaving: one<OfUser, LeavingRow>(
    (k, p) =>
      leavings(k)
        .where('tenant_id', '=', p.tenant)
        .where('user_id', '=', p.user)
        .where((e) => e.or([e('done', '<>', sql.lit(2)), e('to_user', 'is not', null)])),
    'no key update',
  ),
  /** Of every tenant. */
  listLeavings: all<Pick<LeavingRow, 'done'>, LeavingRow & Scoped>((k, p) =>
    leavings(k).select('tenant_id as tenant').where('done', '=', p.done).orderBy('at'),
  ),
  settleLeaving: change<OfUser & Pick<LeavingRow, 'done'>>((k, p) =>
    k
      .updateTable('leavings')
      .set({ done: p.done })
      .where('tenant_id', '=', p.tenant)
      .where('user_id', '=', p.user),
  ),
  /** The user and the guests who went over to this one are forgotten: the host is to be told of each. */
  leaveToTell: change<OfUser>((k, p) =>
    k
      .updateTable('leavings')
      .set({ done: 2, to_user: null })
      .where('tenant_id', '=', p.tenant)
      .where((e) => e.or([e('user_id', '=', p.user), e('to_user', '=', p.user)])),
  ),
  /** Guests who went over to a user. */
  listGuestsOf: all<OfUser, LeavingRow>((k, p) =>
    leavings(k).where('tenant_id', '=', p.tenant).where('to_user', '=', p.user),
  ),
  deleteTold: change<OfUser>((k, p) =>
    k
      .deleteFrom('leavings')
      .where('tenant_id', '=', p.tenant)
      .where('user_id', '=', p.user)
      .where('done', '=', sql.lit(2)),
  ),
  /** The rows of a user, and of the guests who went over to this one. */
  deleteLeavingsOf: change<OfUser>((k, p) =>
    k
      .deleteFrom('leavings')
      .where('tenant_id', '=', p.tenant)
      .where((e) => e.or([e('user_id', '=', p.user), e('to_user', '=', p.user)])),
  ),
  /** All sessions of a user, also those of tasks and of jobs, which no list has. */
  listSessionsOf: all<OfUser, Pick<Row<'sessions'>, 'pk' | 'key'>>((k, p) =>
    k
      .selectFrom('sessions')
      .select(['pk', 'key'])
      .where('tenant_id', '=', p.tenant)
      .where('user_id', '=', p.user)
      .orderBy('pk'),
  ),
  /** The runs for a user in sessions of no user. */
  listRunsApart: all<OfUser, { id: string }>((k, p, d) =>
    k
      .selectFrom('runs')
      .innerJoin('sessions', 'sessions.pk', 'runs.session_pk')
      .select('runs.id')
      .where('sessions.tenant_id', '=', p.tenant)
      .where('sessions.user_id', 'is', null)
      .where(d.jsonField('runs.options', 'principal.userId'), '=', p.user),
  ),
  /** Makes the runs of a guest's sessions those of the user; `principal` is JSON. Before the sessions go over. */
  claimRuns: change<Claim & { principal: string }>((k, p, d) =>
    k
      .updateTable('runs')
      .set((e) => ({
        options: e
          .case()
          .when('machine', '=', sql.lit('job'))
          .then(d.withField('options', 'user', d.quoted(sql<string>`cast(${p.to} as text)`)))
          .else(d.withField('options', 'principal', sql<string>`${p.principal}`))
          .end(),
      }))
      .where('session_pk', 'in', (q) =>
        q.selectFrom('sessions').select('pk').where('tenant_id', '=', p.tenant).where('user_id', '=', p.from),
      ),
  ),
  claimSessions: given('sessions'),
  claimUsage: given('usage'),
  claimUploads: given('uploads'),
  claimJobs: given('jobs'),
  listAccountsOf: all<OfUser, Omit<BudgetRow, 'heldTokens' | 'heldCostUsd' | 'holds'>>((k, p) =>
    k
      .selectFrom('budgets')
      .select(columnsOf('budgets'))
      .where('tenant_id', '=', p.tenant)
      .where(isAccountOf(p.user))
      .orderBy('id')
      .orderBy('period'),
  ),
  moveHolds: change<Scoped & { account: string; to: string }>((k, p) =>
    k
      .updateTable('budget_holds')
      .set({ budget: p.to })
      .where('tenant_id', '=', p.tenant)
      .where('budget', '=', p.account),
  ),
  deleteAccountsOf: change<OfUser>((k, p) =>
    k.deleteFrom('budgets').where('tenant_id', '=', p.tenant).where(isAccountOf(p.user)),
  ),
  revokeTokensOf: change<OfUser & { at: number }>((k, p) =>
    k
      .updateTable('access_tokens')
      .set({ revoked_at: p.at })
      .where('tenant_id', '=', p.tenant)
      .where('user_id', '=', p.user)
      .where('revoked_at', 'is', null),
  ),
  deleteTokensOf: change<OfUser>((k, p) =>
    k.deleteFrom('access_tokens').where('tenant_id', '=', p.tenant).where('user_id', '=', p.user),
  ),
  /** @param owner the user as JSON */
  deleteRequestKeysOf: change<Scoped & { owner: string }>((k, p) =>
    k.deleteFrom('request_keys').where('tenant_id', '=', p.tenant).where('owner', '=', p.owner),
  ),
  listRequestKeysOf: all<
    Scoped & { owner: string; after: string; limit: number },
    Pick<RequestKeyRow, 'name' | 'answer' | 'effect' | 'at'>
  >((k, p) =>
    k
      .selectFrom('request_keys')
      .select(['name', 'answer', 'effect', 'at'])
      .where('tenant_id', '=', p.tenant)
      .where('owner', '=', p.owner)
      .where('name', '>', p.after)
      .orderBy('name')
      .limit(p.limit),
  ),
  listUploadsOf: all<OfUser, Pick<UploadRow, 'id'>>((k, p) =>
    k
      .selectFrom('uploads')
      .select('id')
      .where('tenant_id', '=', p.tenant)
      .where('user_id', '=', p.user)
      .orderBy('id'),
  ),
  deleteUploadsOf: change<OfUser>((k, p) =>
    k.deleteFrom('uploads').where('tenant_id', '=', p.tenant).where('user_id', '=', p.user),
  ),
  /** Keeps what calls cost, and of which day: whose they were nobody knows any more. */
  forgetUserOfUsage: change<OfUser>((k, p) =>
    k
      .updateTable('usage')
      .set({ user_id: null, session_key: '' })
      .where('tenant_id', '=', p.tenant)
      .where('user_id', '=', p.user),
  ),
};
