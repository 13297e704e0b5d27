import { presetOf, presets, priceOf, windowOf } from '../../../models/catalogue.ts';
import type { ModelConfig, ProviderConfig } from '../../../models/provider-config.ts';
import type { ModelApi } from '../../../protocol/enums.ts';
import { DetentError } from '../../../protocol/error.ts';
import type { Variables } from '../../../protocol/json.ts';
import type { ModelPrice } from '../../../protocol/ports.ts';
import { findAgent } from '../../../runtime/config.ts';
import { modelOf } from '../../../runtime/requests.ts';
import { withoutKeys } from '../../../runtime/settings.ts';
import type { Flags } from '../../settings/flags.ts';
import { type CliOptions, loadSettings, type Settings } from '../../settings/load-options.ts';
import { runRequest } from '../../settings/run-options.ts';
import { type Column, listed } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

interface ModelEntry {
  /** The provider's id for the model; `*` stands for all models without an entry. */
  id: string;
  contextWindow: number;
  price: ModelPrice | null;
}

interface ProviderEntry {
  name: string;
  /** Known to Detent, described in the configuration, a ChatModel object of the configuration, or the demo. */
  kind: 'known' | 'configured' | 'own' | 'demo';
  /** Other names of the provider. */
  aliases: readonly string[];
  /** Its protocol; null without one. */
  api: ModelApi | null;
  baseUrl: string | null;
  /** The variable that holds the key; null when there is none. */
  apiKeyEnv: string | null;
  hasKey: boolean | null;
  /** Whether calls are refused before the key is set. */
  needsKey: boolean;
  models: ModelEntry[];
}

/** `detent models list`. */
export async function listModels(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { env } = io;
  const settings = await loadSettings(flags, io);
  const chosen = defaultOf(flags, settings, io);
  const providers = providersOf(settings.options, env);
  if (flags.json) io.json({ default: chosen, providers });
  else {
    io.out(listed(providers, providerColumns, io.stdout));
    const models = providers.flatMap(({ name, models }) => models.map((model) => ({ name, ...model })));
    if (models.length > 0) io.out(['\n', listed(models, modelColumns, io.stdout)]);
    io.out(`\ndefault: ${chosen.model ?? 'none'} (${chosen.why})\n`);
  }
  return exit.ok;
}

const providerColumns: readonly Column<ProviderEntry>[] = [
  { title: 'provider', cell: ({ name, aliases }) => [name, ...aliases].join(', '), min: 12 },
  { title: 'kind', cell: ({ kind }) => kind, rank: 1 },
  { title: 'protocol', cell: ({ api }) => api ?? '-', rank: 2 },
  { title: 'address', cell: ({ baseUrl }) => baseUrl ?? '-', min: 16 },
  { title: 'key', cell: keyInWords, min: 16 },
];

const modelColumns: readonly Column<ModelEntry & { name: string }>[] = [
  { title: 'model', cell: ({ name, id }) => `${name}/${id}`, min: 20 },
  { title: 'context window', cell: ({ contextWindow }) => `${contextWindow.toLocaleString('en')} tokens` },
  { title: 'price', cell: ({ price }) => priceInWords(price), min: 16 },
];

/** The default model, and where it is set. The model is null for an invalid name, so that this list can help to correct it. */
function defaultOf(flags: Flags, { options, variables }: Settings, io: Io) {
  const request = runRequest(flags, io);
  let model: string;
  try {
    model = modelOf(request, options);
  } catch (error) {
    if (!isNameFault(error)) throw error;
    return { model: null, why: error.message };
  }
  const agent = findAgent(request.agent, options.agents);
  const variable = variables.find(({ path }) => path === 'model');
  if (variable) return { model, why: `set by ${variable.variable}` };
  if (agent.model !== undefined) return { model, why: `set by agent "${agent.name}"` };
  if (options.model !== undefined) return { model, why: 'set in the configuration' };
  const key = Object.values(presets).find(
    ({ apiKeyEnv, defaultModel }) => apiKeyEnv && io.env[apiKeyEnv] && defaultModel,
  );
  return { model, why: key ? `${key.apiKeyEnv} is the first key that is set` : 'no key is set' };
}

function isNameFault(error: unknown): error is DetentError {
  return DetentError.is(error) && (error.code === 'UNKNOWN_MODEL' || error.code === 'AMBIGUOUS_MODEL');
}

/** All providers: those of the configuration, those that Detent knows, and the demo. */
export function providersOf({ models = {} }: Pick<CliOptions, 'models'>, env: Variables): ProviderEntry[] {
  const names = [...new Set([...Object.keys(models), ...Object.keys(presets), 'demo'])];
  return names.map((name) => {
    const configured = models[name];
    if (configured && 'generate' in configured) return { ...bare, name, kind: 'own' };
    const preset = presetOf(name);
    const config: ProviderConfig = configured ?? {};
    if (!configured && !preset) return { ...bare, name, kind: 'demo' };
    const { client } = config;
    const baseUrl = client?.baseURL ?? config.baseUrl ?? preset?.baseUrl ?? null;
    const apiKeyEnv = client ? null : (config.apiKeyEnv ?? preset?.apiKeyEnv ?? null);
    return {
      name,
      kind: configured ? 'configured' : 'known',
      aliases: Object.hasOwn(presets, name) ? (preset?.aliases ?? []) : [],
      api: config.api ?? preset?.api ?? 'chat',
      baseUrl: baseUrl && withoutKeys(baseUrl),
      apiKeyEnv,
      hasKey: apiKeyEnv === null ? null : Boolean(env[apiKeyEnv]),
      needsKey:
        apiKeyEnv !== null &&
        (config.apiKeyEnv !== undefined ||
          (preset !== undefined && !preset.isKeyOptional && baseUrl === preset.baseUrl)),
      models: Object.entries(modelsOf(config, preset?.defaultModel)).map(([id, model]) => ({
        id,
        contextWindow: model.contextWindow ?? windowOf(id).contextWindow,
        price: model.price ?? config.models?.['*']?.price ?? (baseUrl ? priceOf(name, baseUrl, id) : null),
      })),
    };
  });
}

/** A provider without an address. */
const bare = {
  aliases: [],
  api: null,
  baseUrl: null,
  apiKeyEnv: null,
  hasKey: null,
  needsKey: false,
  models: [],
} as const satisfies Partial<ProviderEntry>;

/** The models of the configuration, and the provider's default model. */
function modelsOf(config: ProviderConfig, usual: string | null | undefined): Record<string, ModelConfig> {
  return { ...(usual && { [usual]: config.models?.['*'] ?? {} }), ...config.models };
}

function keyInWords({
  apiKeyEnv,
  hasKey,
  needsKey,
}: Pick<ProviderEntry, 'apiKeyEnv' | 'hasKey' | 'needsKey'>): string {
  if (apiKeyEnv === null) return 'no key needed';
  if (!hasKey && !needsKey) return `no key needed; ${apiKeyEnv} if there is one`;
  return `${apiKeyEnv} is ${hasKey ? 'set' : 'not set'}`;
}

function priceInWords(price: ModelPrice | null): string {
  if (!price) return 'price not known';
  const { inputUsd, cachedInputUsd, outputUsd } = price;
  const cached = cachedInputUsd === undefined ? '' : ` ($${cachedInputUsd} cached)`;
  return `$${inputUsd} in${cached}, $${outputUsd} out, for a million tokens`;
}
