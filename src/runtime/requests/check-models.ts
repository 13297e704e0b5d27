import type { ModelDirectory } from '../../ports/chat-model.ts';
import type { LimitsConfig } from '../../protocol/config.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunOptions } from '../../records/run-options.ts';
import type { DetentOptions } from '../config/options.ts';
import { checkPrice } from './run-request.ts';

/**
 * Checks before a run is made that its models exist, that the key of one of them is set, and that all have a price where
 * a limit in money needs one. That another key is missing shows when the run comes to that model.
 *
 * @throws DetentError `UNKNOWN_MODEL`, `INVALID_BASE_URL`, `PRICE_MISSING`; `MISSING_KEY` when no model has its key.
 */
export async function checkModels(
  directory: ModelDirectory,
  {
    model,
    fallbacks = [],
    endpoint,
    budget,
  }: Pick<RunOptions, 'model' | 'fallbacks' | 'endpoint' | 'budget'>,
  limits: LimitsConfig,
  options: DetentOptions,
): Promise<void> {
  const names = [...new Set([model, ...fallbacks])];
  const maxCostUsd = limits.maxCostUsd ?? budget?.maxCostUsd ?? undefined;
  const missing: DetentError[] = [];
  for (const name of names) {
    try {
      const { price } = await directory.resolve(name, endpoint);
      checkPrice(name, price, maxCostUsd === undefined ? {} : { maxCostUsd }, options);
    } catch (error) {
      if (!DetentError.is(error) || error.code !== 'MISSING_KEY') throw error;
      missing.push(error);
    }
  }
  const [first, ...others] = missing;
  if (!first || missing.length < names.length) return;
  if (others.length === 0) throw first;
  const reasons = missing.map(({ message }, i) => `(${i + 1}) ${names[i]}: ${message}`);
  throw new DetentError(first.code, `none of the ${names.length} models can be used: ${reasons.join('; ')}`, {
    details: { models: names },
  });
}
