import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import type { Dialect } from '../query/dialect.ts';
import { all, change, columnsOf, isNull, one, valuesOf } from '../query/query.ts';
import type { Scoped, UsageGroup, UsageRow, UsageSum } from '../rows.ts';
import { isWithinReach } from './reach.ts';

/** The column to group by, chosen by an input of the statement. */
const groupKey = (by: never) =>
  sql<string>`case ${by} when 'day' then day when 'model' then asked when 'session' then session_key
    when 'user' then coalesce(user_id, '') when 'run' then run_id when 'purpose' then purpose else '' end`;

const within = (
  k: Kysely<Database>,
  p: { sessionKey: never; user: never; runId: never; reach: never },
  d: Dialect,
) =>
  k
    .selectFrom('usage')
    .where(sql<boolean>`(${isNull(p.sessionKey, 'text')} or session_key = ${p.sessionKey})`)
    .where(sql<boolean>`(${isNull(p.user, 'text')} or user_id = ${p.user})`)
    .where(sql<boolean>`(${isNull(p.runId, 'text')} or run_id = ${p.runId})`)
    .where(
      sql<boolean>`(${isNull(p.reach, 'text')} or exists (select 1 from runs
        where runs.tenant_id = usage.tenant_id and runs.id = usage.run_id and ${isWithinReach(d, p.reach)}))`,
    );

/** The ledger of model calls and their costs. */
export const usageStatements = {
  /** Inserts a call, for the user whom its session belongs to. 0, and no change, if it exists. */
  insertUsage: change<Omit<UsageRow, 'user'> & Scoped>((k, p) =>
    k
      .insertInto('usage')
      .values({
        ...valuesOf('usage', p, ['user_id']),
        user_id: k
          .selectFrom('sessions')
          .select('user_id')
          .where('tenant_id', '=', p.tenant)
          .where('key', '=', p.sessionKey),
      })
      .onConflict((c) => c.columns(['tenant_id', 'at', 'run_id', 'n', 'i']).doNothing()),
  ),
  /** The calls of a run, in order. */
  listUsageOf: all<Scoped & { runId: string }, UsageRow>((k, p) =>
    k
      .selectFrom('usage')
      .select(columnsOf('usage'))
      .where('tenant_id', '=', p.tenant)
      .where('run_id', '=', p.runId)
      .orderBy('at')
      .orderBy('run_id')
      .orderBy('n')
      .orderBy('i'),
  ),
  /** Keeps the calls and their user, but clears their session key. */
  forgetSessionUsage: change<Scoped & { sessionKey: string }>((k, p) =>
    k
      .updateTable('usage')
      .set({ session_key: '' })
      .where('tenant_id', '=', p.tenant)
      .where('session_key', '=', p.sessionKey),
  ),
  /** The same, of one run. Its calls were made between `from` and `to`. */
  forgetRunUsage: change<Scoped & { runId: string; from: number; to: number }>((k, p) =>
    k
      .updateTable('usage')
      .set({ session_key: '' })
      .where('tenant_id', '=', p.tenant)
      .where('at', '>=', p.from)
      .where('at', '<=', p.to)
      .where('run_id', '=', p.runId),
  ),
  /** A call from `from` on whose cost is known, of a run or one below it, whose id begins with `below`. */
  findPricedCall: one<Scoped & { runId: string; below: string; from: number }, { n: number }>((k, p) =>
    k
      .selectFrom('usage')
      .select('n')
      .where('tenant_id', '=', p.tenant)
      .where('at', '>=', p.from)
      .where('cost_usd', 'is not', null)
      .where(sql<boolean>`(run_id = ${p.runId} or substr(run_id, 1, length(${p.below})) = ${p.below})`)
      .limit(1),
  ),
  /**
   * Sums calls from `from` on and before `to`, of one session, user or run, or of all. The most recently used group is first.
   */
  sumUsage: all<
    Scoped & {
      by: UsageGroup;
      from: number;
      to: number;
      sessionKey: string | null;
      user: string | null;
      runId: string | null;
      /** As of `findRunOwner`. */
      reach: string | null;
      limit: number;
    },
    UsageSum
  >((k, p, d) =>
    within(k, p, d)
      .select((e) => [
        groupKey(p.by).as('key'),
        e.fn.countAll<number>().as('calls'),
        e.fn.count<number>('error').as('failed'),
        e.fn.sum<number>('cached').as('cached'),
        sql<number>`count(*) - count(cost_usd)`.as('unpriced'),
        e.fn.sum<number>('estimated').as('estimated'),
        e.fn.sum<number>('input_tokens').as('inputTokens'),
        e.fn.sum<number>('output_tokens').as('outputTokens'),
        e.fn.sum<number>('cached_input_tokens').as('cachedInputTokens'),
        e.fn.sum<number>('cache_write_tokens').as('cacheWriteTokens'),
        e.fn.sum<number>('reasoning_tokens').as('reasoningTokens'),
        sql<
          number | null
        >`coalesce(sum(cost_usd), case when sum(input_tokens + output_tokens) > 0 then null else 0 end)`.as(
          'costUsd',
        ),
      ])
      .where('tenant_id', '=', p.tenant)
      .where('at', '>=', p.from)
      .where('at', '<', p.to)
      .groupBy(sql.ref('key'))
      .orderBy((e) => e.fn.max('at'), 'desc')
      .orderBy(sql.ref('key'))
      .limit(p.limit),
  ),
};
