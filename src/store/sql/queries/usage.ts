import { type Kysely, sql } from 'kysely';
import type { UsageStatements } from '../../statements/usage.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';
import { isWithinReach } from './reach.ts';

/** The column to group by, chosen by an input of the statement. */
const groupKey = (by: never) =>
  sql<string>`case ${by} when 'day' then day when 'model' then asked when 'session' then session_key
    when 'user' then coalesce(user_id, '') when 'run' then run_id when 'purpose' then purpose else '' end`;

/** A null filter matches every row, so one statement serves all combinations. */
const within = (k: Kysely<Database>, p: { sessionKey: never; user: never; runId: never; reach: never }) =>
  k
    .selectFrom('usage')
    .where(sql<boolean>`(${p.sessionKey} is null or session_key = ${p.sessionKey})`)
    .where(sql<boolean>`(${p.user} is null or user_id = ${p.user})`)
    .where(sql<boolean>`(${p.runId} is null or run_id = ${p.runId})`)
    .where(
      sql<boolean>`(${p.reach} is null or exists (select 1 from runs
        where runs.tenant_id = usage.tenant_id and runs.id = usage.run_id and ${isWithinReach(p.reach)}))`,
    );

export const usageQueries = {
  insertUsage: [
    'run',
    (k, p) =>
      k
        .insertInto('usage')
        .values({
          tenant_id: p.tenant,
          run_id: p.runId,
          session_key: p.sessionKey,
          user_id: k
            .selectFrom('sessions')
            .select('user_id')
            .where('tenant_id', '=', p.tenant)
            .where('key', '=', p.sessionKey),
          n: p.n,
          i: p.i,
          purpose: p.purpose,
          at: p.at,
          day: p.day,
          asked: p.asked,
          answered: p.answered,
          input_tokens: p.inputTokens,
          output_tokens: p.outputTokens,
          cached_input_tokens: p.cachedInputTokens,
          cache_write_tokens: p.cacheWriteTokens,
          reasoning_tokens: p.reasoningTokens,
          cost_usd: p.costUsd,
          cached: p.cached,
          error: p.error,
          estimated: p.estimated,
        })
        .onConflict((c) => c.columns(['tenant_id', 'at', 'run_id', 'n', 'i']).doNothing()),
  ],
  forgetSessionUsage: [
    'run',
    (k, p) =>
      k
        .updateTable('usage')
        .set({ session_key: '' })
        .where('tenant_id', '=', p.tenant)
        .where('session_key', '=', p.sessionKey),
  ],
  forgetRunUsage: [
    'run',
    (k, p) =>
      k
        .updateTable('usage')
        .set({ session_key: '' })
        .where('tenant_id', '=', p.tenant)
        .where('at', '>=', p.from)
        .where('at', '<=', p.to)
        .where('run_id', '=', p.runId),
  ],
  listUsageOf: [
    'all',
    (k, p) =>
      k
        .selectFrom('usage')
        .select([
          'run_id as runId',
          'session_key as sessionKey',
          'user_id as user',
          'n',
          'i',
          'purpose',
          'at',
          'day',
          'asked',
          'answered',
          'input_tokens as inputTokens',
          'output_tokens as outputTokens',
          'cached_input_tokens as cachedInputTokens',
          'cache_write_tokens as cacheWriteTokens',
          'reasoning_tokens as reasoningTokens',
          'cost_usd as costUsd',
          'cached',
          'error',
          'estimated',
        ])
        .where('tenant_id', '=', p.tenant)
        .where('run_id', '=', p.runId)
        .orderBy('at')
        .orderBy('run_id')
        .orderBy('n')
        .orderBy('i'),
  ],
  sumUsage: [
    'all',
    (k, p) =>
      within(k, p)
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
          e.fn.coalesce(e.fn.sum<number>('cost_usd'), e.lit(0)).as('costUsd'),
        ])
        .where('tenant_id', '=', p.tenant)
        .where('at', '>=', p.from)
        .where('at', '<', p.to)
        .groupBy('key' as never)
        .orderBy((e) => e.fn.max('at'), 'desc')
        .orderBy('key' as never)
        .limit(p.limit),
  ],
} satisfies Queries<UsageStatements>;
