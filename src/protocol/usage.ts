/**
 * Tokens of one model call, as the provider counted them. `inputTokens` includes the cached ones, `outputTokens` those
 * of reasoning.
 */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  /** Of `inputTokens`, those that were written to a cache. Only some providers say. */
  cacheWriteInputTokens?: number;
  reasoningTokens: number;
  /** Set if Detent estimated a part of the counts, because the answer broke off before the provider reported them. */
  estimated?: true;
}

/** Tokens and money; `costUsd` is null when no price is known. */
export interface Usage extends TokenUsage {
  costUsd: number | null;
}

export const noTokens: TokenUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});
