import type { ModelAnswer, TokenUsage } from '../../protocol/content.ts';
import { shown } from '../../protocol/json.ts';

/** No call has more tokens. Sums of such counts stay exact. */
const maxTokens = 1e9;

/**
 * An answer whose usage can be stored and summed. Counts of input or output that are no token counts (missing, negative,
 * NaN, a text, 1e300) make the whole usage unknown; other such counts are left out.
 *
 * @param say gets one message if that happens.
 */
export function withKnownUsage(answer: ModelAnswer, say: (message: string) => void): ModelAnswer {
  const usage: Partial<Record<keyof TokenUsage, unknown>> | null = answer.usage;
  if (usage === null || usage === undefined)
    return answer.usage === null ? answer : { ...answer, usage: null };
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens, reasoningTokens } = usage;
  const areCounts = [inputTokens, outputTokens, cachedInputTokens, reasoningTokens].every(isCount);
  if (areCounts && (cacheWriteInputTokens === undefined || isCount(cacheWriteInputTokens))) return answer;
  const wrong = Object.entries({
    inputTokens,
    outputTokens,
    cachedInputTokens,
    reasoningTokens,
    ...(cacheWriteInputTokens !== undefined && { cacheWriteInputTokens }),
  }).filter(([, count]) => !isCount(count));
  const isUnknown = !isCount(inputTokens) || !isCount(outputTokens);
  const counts = wrong.map(([name, count]) => `${name} ${shown(count)}`).join(', ');
  say(
    `the model reported invalid token counts (${counts}): ${isUnknown ? 'its usage is unknown' : 'they are ignored'}`,
  );
  if (isUnknown) return { ...answer, usage: null };
  return {
    ...answer,
    usage: {
      inputTokens,
      outputTokens,
      cachedInputTokens: isCount(cachedInputTokens) ? cachedInputTokens : 0,
      reasoningTokens: isCount(reasoningTokens) ? reasoningTokens : 0,
      ...(isCount(cacheWriteInputTokens) && { cacheWriteInputTokens }),
      ...(usage.estimated === true && { estimated: true as const }),
    },
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxTokens;
}
