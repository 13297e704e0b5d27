import { DetentError } from '../../protocol/error.ts';
import { nearestName } from '../../text/wording.ts';
import { presetName } from './presets.ts';

/** The model tables of the providers, by provider name. */
type ModelTables = Readonly<Record<string, object>>;

interface ModelName {
  provider: string;
  /** The provider's own id. */
  model: string;
}

/** The limits of a model that neither says them nor is known. */
export const unknownModel = { contextWindow: 128_000, maxOutputTokens: 8_192 } as const;

/** By default an answer takes at most a quarter of the window, so that a small window has room for the prompt. */
export function outputWithin(contextWindow: number, maxOutputTokens: number): number {
  return Math.min(maxOutputTokens, Math.floor(contextWindow / 4));
}

/**
 * Splits `provider/model` at the first `/`; the rest is the provider's own id of the model.
 *
 * @throws DetentError `UNKNOWN_MODEL` when there is no `/`, or nothing on one side of it.
 */
export function parseModelName(name: string, tables: ModelTables = {}): ModelName {
  const slash = name.indexOf('/');
  const provider = name.slice(0, Math.max(0, slash));
  const model = name.slice(slash + 1);
  if (slash > 0 && model !== '') return { provider, model };
  const nearest = nearestName(
    name,
    tabled(tables).map(({ model }) => model),
  );
  const meant = tabled(tables).find(({ model }) => model === nearest);
  const hint = meant ? `; did you mean ${meant.provider}/${meant.model}?` : '';
  throw new DetentError(
    'UNKNOWN_MODEL',
    `"${name}" is not a model name; write provider/model, for example openai/gpt-5-mini or demo/demo${hint}`,
  );
}

/**
 * `provider/model` for a name without a provider, or with an alias of one. A name without `/` is looked up in the tables.
 * `kimi/…` becomes `moonshot/…`, unless the tables have a provider called `kimi`.
 *
 * @throws DetentError `AMBIGUOUS_MODEL` when several providers have it, `UNKNOWN_MODEL` when none has.
 */
export function fullModelName(name: string, tables: ModelTables): string {
  const slash = name.indexOf('/');
  if (slash >= 0) {
    const provider = name.slice(0, slash);
    return Object.hasOwn(tables, provider) ? name : presetName(provider) + name.slice(slash);
  }
  const found = tabled(tables).filter(({ model }) => model === name);
  const names = found.map(({ provider, model }) => `${provider}/${model}`);
  const [only, ...others] = names;
  if (only === undefined) {
    const { provider, model } = parseModelName(name, tables);
    return `${provider}/${model}`;
  }
  if (others.length === 0) return only;
  throw new DetentError(
    'AMBIGUOUS_MODEL',
    `several providers have a model "${name}"; write one of ${names.join(', ')}`,
    { details: { name, names } },
  );
}

/** All models in the provider tables of the configuration. */
function tabled(tables: ModelTables): ModelName[] {
  return Object.entries(tables).flatMap(([provider, config]) => {
    const { models = {} } = config as { models?: Record<string, unknown> };
    return Object.keys(models)
      .filter((model) => model !== '*')
      .map((model) => ({ provider, model }));
  });
}
