import { noCalls, type UsageGroup, type UsageRow, type UsageSum } from '../rows.ts';
import type { UsageStatements } from '../statements/usage.ts';
import { isWithinReach } from './reach.ts';
import { compareText, type Handlers, scoped, type Tables } from './schema.ts';

export function usageStatements(tables: Tables): Handlers<UsageStatements> {
  const { usage, sessions, sessionKeys, runs, runIds } = tables;
  const isReached = (tenant: number, runId: string, reach: string | null) => {
    const run = runs.get(runIds.get(scoped(tenant, runId)) ?? 0);
    return reach === null || (run !== undefined && isWithinReach(tables, run, reach));
  };
  return {
    insertUsage({ tenant, ...row }) {
      const session = sessionKeys.get(scoped(tenant, row.sessionKey));
      const user = (session === undefined ? undefined : sessions.get(session)?.user) ?? null;
      return Number(usage.add(tenant, { ...row, user }));
    },

    forgetSessionUsage({ tenant, sessionKey }) {
      const known = usage.of(tenant).filter((row) => row.sessionKey === sessionKey);
      for (const row of known) usage.replace(tenant, { ...row, sessionKey: '' });
      return known.length;
    },

    forgetRunUsage({ tenant, runId, from, to }) {
      const known = usage.of(tenant).filter((row) => row.runId === runId && row.at >= from && row.at <= to);
      for (const row of known) usage.replace(tenant, { ...row, sessionKey: '' });
      return known.length;
    },

    listUsageOf: ({ tenant, runId }) =>
      usage
        .of(tenant)
        .filter((row) => row.runId === runId)
        .map((row) => ({ ...row })),

    sumUsage({ tenant, by, from, to, sessionKey, user, runId, reach, limit }) {
      const sums = new Map<string, { sum: UsageSum; lastAt: number }>();
      for (const row of usage.of(tenant)) {
        if (row.at < from || row.at >= to) continue;
        if (sessionKey !== null && row.sessionKey !== sessionKey) continue;
        if (user !== null && row.user !== user) continue;
        if (runId !== null && row.runId !== runId) continue;
        if (!isReached(tenant, row.runId, reach)) continue;
        const key = keyOf(row, by);
        const { sum } = sums.get(key) ?? { sum: { ...noCalls, key } };
        sums.set(key, { sum: added(sum, row), lastAt: row.at });
      }
      return [...sums.values()]
        .sort((a, b) => b.lastAt - a.lastAt || compareText(a.sum.key, b.sum.key))
        .slice(0, limit)
        .map(({ sum }) => sum);
    },
  };
}

function keyOf(row: UsageRow, by: UsageGroup): string {
  if (by === 'day') return row.day;
  if (by === 'model') return row.asked;
  if (by === 'session') return row.sessionKey;
  if (by === 'user') return row.user ?? '';
  if (by === 'run') return row.runId;
  return by === 'purpose' ? row.purpose : '';
}

function added(sum: UsageSum, row: UsageRow): UsageSum {
  return {
    key: sum.key,
    calls: sum.calls + 1,
    failed: sum.failed + (row.error === null ? 0 : 1),
    cached: sum.cached + row.cached,
    unpriced: sum.unpriced + (row.costUsd === null ? 1 : 0),
    estimated: sum.estimated + row.estimated,
    inputTokens: sum.inputTokens + row.inputTokens,
    outputTokens: sum.outputTokens + row.outputTokens,
    cachedInputTokens: sum.cachedInputTokens + row.cachedInputTokens,
    cacheWriteTokens: sum.cacheWriteTokens + row.cacheWriteTokens,
    reasoningTokens: sum.reasoningTokens + row.reasoningTokens,
    costUsd: sum.costUsd + (row.costUsd ?? 0),
  };
}
