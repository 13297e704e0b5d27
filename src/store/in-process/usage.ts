import { noCalls, type UsageGroup, type UsageRow, type UsageSum } from '../../engine/rows.ts';
import { type Handlers, newest, type Tables } from './schema.ts';

type Names = 'insertUsage' | 'forgetSessionUsage' | 'listUsageOf' | 'sumUsage';

export function usageStatements({ usage, usageOfRun }: Tables): Handlers<Names> {
  return {
    insertUsage({ tenant, ...row }) {
      if (!usageOfRun.add(tenant, { ...row })) return 0;
      usage.add(tenant, { ...row, pk: usage.of(tenant).length });
      return 1;
    },

    forgetSessionUsage({ tenant, sessionKey }) {
      const known = usage.of(tenant).filter((row) => row.sessionKey === sessionKey);
      for (const row of known) {
        const forgotten = { ...row, sessionKey: '' };
        usage.replace(tenant, forgotten);
        const { pk: _, ...call } = forgotten;
        usageOfRun.replace(tenant, call);
      }
      return known.length;
    },

    listUsageOf: ({ tenant, runId }) =>
      usageOfRun
        .from(tenant, { runId, n: Number.NEGATIVE_INFINITY, i: 0 })
        .filter((row) => row.runId === runId)
        .map((row) => ({ ...row })),

    sumUsage({ tenant, by, from, to, sessionKey, runId, limit }) {
      const sums = new Map<string, UsageSum>();
      for (const row of newest(usage.of(tenant), Number.MAX_SAFE_INTEGER)) {
        if (row.at < from || row.at >= to) continue;
        if (sessionKey !== null && row.sessionKey !== sessionKey) continue;
        if (runId !== null && row.runId !== runId) continue;
        const key = keyOf(row, by);
        sums.set(key, added(sums.get(key) ?? { ...noCalls, key }, row));
      }
      return [...sums.values()].slice(0, limit);
    },
  };
}

function keyOf(row: UsageRow, by: UsageGroup): string {
  if (by === 'day') return row.day;
  if (by === 'model') return row.asked;
  if (by === 'session') return row.sessionKey;
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
    inputTokens: sum.inputTokens + row.inputTokens,
    outputTokens: sum.outputTokens + row.outputTokens,
    cachedInputTokens: sum.cachedInputTokens + row.cachedInputTokens,
    cacheWriteTokens: sum.cacheWriteTokens + row.cacheWriteTokens,
    reasoningTokens: sum.reasoningTokens + row.reasoningTokens,
    costUsd: sum.costUsd + (row.costUsd ?? 0),
  };
}
