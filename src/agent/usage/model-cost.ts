import { type ModelAnswer, noTokens, type TokenUsage, type Usage } from '../../protocol/content.ts';
import type { ModelPrice } from '../../protocol/ports.ts';

/** The cost of a call in dollars. Prompt tokens read from a cache or written to one have their own price. */
export function costOf(usage: TokenUsage, price: ModelPrice): number {
  const { inputTokens, cachedInputTokens, cacheWriteInputTokens = 0, outputTokens } = usage;
  const { inputUsd, cachedInputUsd = inputUsd, cacheWriteInputUsd = inputUsd, outputUsd, long } = price;
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteInputTokens);
  const prompt =
    fresh * inputUsd + cachedInputTokens * cachedInputUsd + cacheWriteInputTokens * cacheWriteInputUsd;
  const answer = outputTokens * outputUsd;
  if (!long || inputTokens < long.fromTokens) return (prompt + answer) / 1e6;
  return (prompt * long.inputFactor + answer * long.outputFactor) / 1e6;
}

/** Tokens and money of an answer; `costUsd` null without a price. */
export function usageOf({ usage }: Pick<ModelAnswer, 'usage'>, price: ModelPrice | null): Usage {
  const tokens = usage ?? noTokens;
  return { ...tokens, costUsd: price && costOf(tokens, price) };
}
