import type { RunLimits } from '../../machines/run.types.ts';
import type { ModelAnswer } from '../protocol/answer.ts';
import { noTokens, type Usage } from '../protocol/usage.ts';
import type { Endpoint, ModelPrice } from './chat-model.ts';
import type { Principal } from './tool.ts';

/** What a run is performed with: fixed when it is made, kept in its row, unknown to its machine. */
export interface RunOptions {
  machine: 'run';
  /** The named agent that the rest was taken from. Runs of older versions have none. */
  agent?: string;
  /** `provider/model`. */
  model: string;
  /** Where the model answers when the run was told so by hand; kept, so that any process can carry the run on. */
  endpoint: Endpoint | null;
  /** Empty for none. */
  system: string;
  /** The tools that this run may use; null = the configured ones. Can only narrow. */
  tools: string[] | null;
  approve: 'ask' | 'all' | 'none';
  /** False: whole answers instead of streamed ones. */
  stream?: boolean;
  /** Absolute path. */
  workspace: string;
  principal: Principal;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export const defaultLimits: RunLimits = Object.freeze({
  steps: 50,
  tokens: null,
  costUsd: null,
  workMs: 30 * minuteMs,
  errors: 3,
  repeats: 3,
  attempts: 4,
  parallel: 4,
  queueMs: dayMs,
  confirmMs: 7 * dayMs,
  reconcileMs: 7 * dayMs,
});

/** Tokens and money of an answer; `costUsd` null without a price. */
export function usageOf({ usage }: Pick<ModelAnswer, 'usage'>, price: ModelPrice | null): Usage {
  const tokens = usage ?? noTokens;
  if (!price) return { ...tokens, costUsd: null };
  const fresh = tokens.inputTokens - tokens.cachedInputTokens;
  const cached = tokens.cachedInputTokens * (price.cachedInputUsd ?? price.inputUsd);
  const costUsd = (fresh * price.inputUsd + cached + tokens.outputTokens * price.outputUsd) / 1e6;
  return { ...tokens, costUsd };
}
