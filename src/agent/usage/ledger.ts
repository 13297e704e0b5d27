import type { CommitScope } from '../../engine/machine.ts';
import { addUsage, noTokens, type Usage } from '../../protocol/content.ts';
import type { ResolvedModel } from '../../protocol/ports.ts';
import type { Program } from '../../store/program.ts';
import type { EffectNotes, MadeCall } from '../effect/run-effect.ts';
import { tell } from '../effect/statements.ts';
import { type Spent, settleCall } from './budgets.ts';
import { usageOf } from './model-cost.ts';

/** Notes a model call of an effect. The commit of the effect's fact writes it, whatever the fact is. */
export function noteCall(
  { calls }: EffectNotes,
  {
    purpose,
    name,
    model,
    answer,
    cached = false,
  }: Omit<MadeCall, 'costUsd' | 'cached'> & {
    model: Pick<ResolvedModel, 'price'>;
    cached?: boolean;
  },
): void {
  const costUsd = cached ? 0 : usageOf(answer, model.price).costUsd;
  calls.push({ purpose, name, answer, costUsd, cached });
}

/**
 * Writes an effect's calls into the ledger, and their cost into the run's shared budget. The ledger misses a call whose
 * process dies before that, because the provider's count is unknown.
 */
export function* writeCalls(
  scope: CommitScope,
  effectId: number,
  { calls, budget }: EffectNotes,
): Program<void> {
  yield* writeUsage(scope, effectId, calls);
  if (budget) yield* settleCall(scope, effectId, budget, spentBy(calls));
}

/** Writes the calls of an effect into the ledger. */
export function* writeUsage(
  { row, at }: Pick<CommitScope, 'row' | 'at'>,
  effectId: number,
  calls: readonly MadeCall[],
): Program<void> {
  for (const [i, { purpose, name, answer, costUsd, cached }] of calls.entries()) {
    const usage = answer.usage ?? noTokens;
    yield* tell('insertUsage', {
      tenant: row.tenant,
      runId: row.id,
      sessionKey: row.sessionKey,
      n: effectId,
      i,
      purpose,
      at,
      day: new Date(at).toISOString().slice(0, 10),
      asked: name,
      answered: answer.model === '' ? null : answer.model,
      inputTokens: cached ? 0 : usage.inputTokens,
      outputTokens: cached ? 0 : usage.outputTokens,
      cachedInputTokens: cached ? 0 : usage.cachedInputTokens,
      cacheWriteTokens: cached ? 0 : (usage.cacheWriteInputTokens ?? 0),
      reasoningTokens: cached ? 0 : usage.reasoningTokens,
      costUsd,
      cached: cached ? 1 : 0,
      error: answer.error?.code ?? null,
      estimated: usage.estimated ? 1 : 0,
    });
  }
}

/** What calls used together. */
export function usedBy(calls: readonly MadeCall[]): Usage {
  return calls
    .filter(({ cached }) => !cached)
    .reduce<Usage>((sum, { answer, costUsd }) => addUsage(sum, { ...(answer.usage ?? noTokens), costUsd }), {
      ...noTokens,
      costUsd: null,
    });
}

function spentBy(calls: readonly MadeCall[]): Spent {
  const { inputTokens, outputTokens, costUsd } = usedBy(calls);
  return { tokens: inputTokens + outputTokens, costUsd: costUsd ?? 0 };
}
