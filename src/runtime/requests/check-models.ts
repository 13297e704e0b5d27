import { parseModelName } from '../../models/catalogue.ts';
import { findUsableModel } from '../../models/find-model.ts';
import { DetentError } from '../../protocol/error.ts';
import type { ModelPrice } from '../../protocol/ports.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { own } from '../../text/wording.ts';
import type { DetentOptions } from '../config/detent-options.ts';

type RunModels = Pick<RunOptions, 'model' | 'fallbacks' | 'endpoint' | 'budget'>;

/**
 * Checks before a run is created that its models exist, that at least one of them has its key, and that all have a
 * price if a limit in money needs one. Another missing key fails only when the run comes to that model. Loads no
 * provider.
 *
 * @param limitUsd the run's own limit; null for none. Its budget may have one, too
 * @returns the variables that hold the keys of these models
 * @throws DetentError `UNKNOWN_MODEL`, `INVALID_BASE_URL`, `PRICE_MISSING`; `MISSING_KEY` when no model has its key; what a model of the
 * program's own throws from `check`.
 */
export function checkModels(
  { model, fallbacks = [], endpoint, budget }: RunModels,
  limitUsd: number | null,
  config: DetentOptions,
): string[] {
  const { models = {}, env = process.env } = config;
  const names = [...new Set([model, ...fallbacks])];
  const needsPrice = [limitUsd, budget?.maxCostUsd, budget?.all?.maxCostUsd].some(
    (limit) => typeof limit === 'number',
  );
  const keys: string[] = [];
  const missing: DetentError[] = [];
  for (const name of names) {
    try {
      const { at, price } = findUsableModel(name, endpoint, models, env);
      if (needsPrice) checkPrice(name, price, config);
      if (at && 'apiKeyEnv' in at && at.apiKeyEnv !== null) keys.push(at.apiKeyEnv);
    } catch (error) {
      if (!DetentError.is(error) || error.code !== 'MISSING_KEY') throw error;
      missing.push(error);
    }
  }
  const [first, ...others] = missing;
  if (!first || missing.length < names.length) return keys;
  if (others.length === 0) throw first;
  const reasons = missing.map(({ message }, i) => `(${i + 1}) ${names[i]}: ${message}`);
  throw new DetentError(first.code, `none of the ${names.length} models can be used: ${reasons.join('; ')}`, {
    details: { models: names },
  });
}

/** Checks that a model has a price. @throws DetentError `PRICE_MISSING`, which names the field to set. */
function checkPrice(name: string, price: ModelPrice | null, { models = {} }: DetentOptions): void {
  if (price !== null) return;
  const { provider, model } = parseModelName(name);
  const isOwn = 'generate' in (own(models, provider) ?? {});
  const field = isOwn
    ? `models.${provider}.price`
    : `models.${provider}.models[${JSON.stringify(model)}].price`;
  throw new DetentError(
    'PRICE_MISSING',
    `a limit in money needs the price of ${name}: set ${field} in the configuration, with inputUsd and outputUsd per million tokens`,
    { details: { model: name, field } },
  );
}
