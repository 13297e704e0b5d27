import type * as z from 'zod/mini';
import type { tokenUsage, usage } from './run-values.ts';

/**
 * Tokens of one model call, as the provider counted them. `inputTokens` includes the cached ones, `outputTokens` those
 * of reasoning.
 */
export type TokenUsage = z.output<typeof tokenUsage>;

/** Tokens and money; `costUsd` is null when no price is known. */
export type Usage = z.output<typeof usage>;

export const noTokens: TokenUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});
