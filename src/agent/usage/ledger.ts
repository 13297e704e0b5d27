import type { CommitScope, EffectJob, Fact } from '../../engine/machine-host.ts';
import type { ResolvedModel } from '../../ports/chat-model.ts';
import { usageOf } from '../../ports/model-cost.ts';
import type { ModelAnswer } from '../../protocol/answer.ts';
import { noTokens } from '../../protocol/usage.ts';
import type { RunOptions } from '../../records/run-options.ts';
import type { Program } from '../../store/program.ts';
import type { UsagePurpose } from '../../store/rows.ts';
import type { AgentServices } from '../services.ts';
import { ask } from '../statements.ts';
import { type Spent, settleCall } from './budgets.ts';

/** One call of a model, as the ledger keeps it. */
export interface MadeCall {
  purpose: UsagePurpose;
  /** `provider/model` that was called. */
  name: string;
  answer: Pick<ModelAnswer, 'model' | 'usage'> & { error: { code: string } | null };
  /** Null when no price is known. */
  costUsd: number | null;
  /** Whether an answer that was kept stood in for the call. */
  cached: boolean;
}

const made = new WeakMap<EffectJob, MadeCall[]>();

/** Notes a call that an effect has made. It is written with the effect's fact, whatever that is: see {@link withLedger}. */
export function noteCall(
  job: EffectJob,
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
  const calls = made.get(job) ?? [];
  made.set(job, [...calls, { purpose, name, answer, costUsd, cached }]);
}

/**
 * Performs an effect that calls models. The calls that it notes go into the ledger in the commit of its fact, and what
 * they cost out of the budget that the run shares. A call whose process dies before that is not in the ledger: what its
 * provider counted is not known.
 */
export async function withLedger(
  { store }: Pick<AgentServices, 'store'>,
  job: EffectJob,
  perform: () => Promise<Fact>,
): Promise<Fact> {
  const { effectId: n, run } = job;
  const { budget } = JSON.parse(run.options) as RunOptions;
  let fact: Fact;
  try {
    fact = await perform();
  } catch (error) {
    // The defect's own fact knows nothing of the call.
    if (budget) await store.commit(() => ask('deleteHold', { run: run.pk, n }));
    throw error;
  }
  const calls = made.get(job) ?? [];
  if (calls.length === 0 && !budget) return fact;
  return {
    ...fact,
    *writes(scope) {
      if (fact.writes) yield* fact.writes(scope);
      yield* writeUsage(scope, n, calls);
      if (budget) yield* settleCall(scope, n, budget, spentBy(calls));
    },
  };
}

/** Writes the calls of an effect into the ledger. */
export function* writeUsage(
  { row, at }: Pick<CommitScope, 'row' | 'at'>,
  effectId: number,
  calls: readonly MadeCall[],
): Program<void> {
  for (const [i, { purpose, name, answer, costUsd, cached }] of calls.entries()) {
    const usage = answer.usage ?? noTokens;
    yield* ask('insertUsage', {
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
    });
  }
}

function spentBy(calls: readonly MadeCall[]): Spent {
  const asked = calls.filter(({ cached }) => !cached);
  const tokens = asked.reduce(
    (sum, { answer: { usage } }) => sum + (usage ? usage.inputTokens + usage.outputTokens : 0),
    0,
  );
  return { tokens, costUsd: asked.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) };
}
