import type { RunLimits } from '../../../machines/run.types.ts';
import type { LimitsConfig } from '../../protocol/config.ts';
import { defaultLimits } from '../../store/run-options.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { type FoundAgent, findAgent } from '../config/find-agent.ts';
import type { RunRequest } from '../config/request.ts';

/** The limits of a run that the request, its agent or the configuration sets. @throws DetentError `UNKNOWN_AGENT`. */
export function limitsOf(
  request: RunRequest,
  config: Pick<DetentOptions, 'limits' | 'agents'>,
  agent: FoundAgent = findAgent(request.agent, config.agents),
): LimitsConfig {
  return { ...config.limits, ...agent.limits, ...request.limits };
}

/** The limits in the form that a run stores, with defaults filled in. */
export function runLimits(limits: LimitsConfig): RunLimits {
  return {
    steps: limits.maxSteps ?? defaultLimits.steps,
    tokens: limits.maxTokens ?? defaultLimits.tokens,
    costUsd: limits.maxCostUsd ?? defaultLimits.costUsd,
    workMs: limits.timeoutMs ?? defaultLimits.workMs,
    errors: limits.maxErrors ?? defaultLimits.errors,
    repeats: limits.maxRepeats ?? defaultLimits.repeats,
    attempts: limits.maxRetries === undefined ? defaultLimits.attempts : limits.maxRetries + 1,
    parallel: limits.parallelCalls ?? defaultLimits.parallel,
    queueMs: limits.queueExpiryMs ?? defaultLimits.queueMs,
    confirmMs: limits.confirmExpiryMs ?? defaultLimits.confirmMs,
    reconcileMs: limits.reconcileExpiryMs ?? defaultLimits.reconcileMs,
  };
}

/** The smallest of the amounts that are set; null if none is. */
export function least(...amounts: readonly (number | null | undefined)[]): number | null {
  const set = amounts.filter((amount) => typeof amount === 'number');
  return set.length === 0 ? null : Math.min(...set);
}
