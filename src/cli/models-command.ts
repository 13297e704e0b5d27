import type { ModelPrice } from '../agent/chat-model.ts';
import { findAgent } from '../agents.ts';
import type { ModelConfig, ProviderConfig } from '../models/directory.ts';
import { presets } from '../models/presets.ts';
import { windowOf } from '../models/windows.ts';
import { DetentError } from '../protocol/error.ts';
import { modelOf } from '../run-request.ts';
import { columns } from './config/columns.ts';
import { withoutKeys } from './config/hide-secrets.ts';
import type { Variables } from './config/substitute.ts';
import { exit } from './exit-codes.ts';
import type { Flags } from './flags.ts';
import { loadSettings, type Settings } from './load-options.ts';
import { runRequest } from './run-options.ts';
import { out, printable } from './say.ts';

interface ModelEntry {
  /** The provider's own id; `*` stands for all that have no entry. */
  id: string;
  contextWindow: number;
  price: ModelPrice | null;
}

interface ProviderEntry {
  name: string;
  /** Known to Detent, described in the configuration, brought by it as a program, or the demo. */
  kind: 'known' | 'configured' | 'own' | 'demo';
  baseUrl: string | null;
  /** The variable that holds the key; null when none is needed. */
  apiKeyEnv: string | null;
  hasKey: boolean | null;
  models: ModelEntry[];
}

/** `detent models list`. */
export async function listModels(_: readonly string[], flags: Flags): Promise<number> {
  const { env } = process;
  const settings = await loadSettings(flags, env);
  const chosen = defaultOf(flags, settings, env);
  const providers = providersOf(settings, env);
  if (flags.json) out(`${JSON.stringify({ default: chosen, providers })}\n`);
  else {
    out(
      printable(
        columns(
          providers.map(({ name, baseUrl, kind, ...key }) => [name, baseUrl ?? `(${kind})`, keyInWords(key)]),
        ),
      ),
    );
    const models = providers.flatMap(({ name, models }) => models.map((model) => ({ name, ...model })));
    const rows = models.map(({ name, id, contextWindow, price }) => [
      `${name}/${id}`,
      `${contextWindow.toLocaleString('en')} tokens`,
      priceInWords(price),
    ]);
    if (rows.length > 0) out(`\n${printable(columns(rows))}`);
    out(`\ndefault: ${printable(`${chosen.model ?? 'none'} (${chosen.why})`)}\n`);
  }
  return exit.ok;
}

/** The model of a run that names none, and who says so; null for a name that is none, which this list is to mend. */
function defaultOf(flags: Flags, { options, variables }: Settings, env: Variables) {
  const request = runRequest(flags);
  let model: string;
  try {
    model = modelOf(request, options);
  } catch (error) {
    if (!isNameFault(error)) throw error;
    return { model: null, why: error.message };
  }
  const agent = findAgent(request.agent, options.agents);
  const variable = variables.find(({ path }) => path === 'model');
  if (variable) return { model, why: `${variable.variable} says so` };
  if (agent.model !== undefined) return { model, why: `agent "${agent.name}" says so` };
  if (options.model !== undefined) return { model, why: 'the configuration says so' };
  const key = Object.values(presets).find(
    ({ apiKeyEnv, defaultModel }) => apiKeyEnv && env[apiKeyEnv] && defaultModel,
  );
  return { model, why: key ? `${key.apiKeyEnv} is the first key that is set` : 'no key is set' };
}

function isNameFault(error: unknown): error is DetentError {
  return DetentError.is(error) && (error.code === 'UNKNOWN_MODEL' || error.code === 'AMBIGUOUS_MODEL');
}

function providersOf({ options: { models = {} } }: Settings, env: Variables): ProviderEntry[] {
  const names = [...new Set([...Object.keys(models), ...Object.keys(presets), 'demo'])];
  return names.map((name) => {
    const configured = models[name];
    if (configured && 'generate' in configured)
      return { name, kind: 'own', baseUrl: null, apiKeyEnv: null, hasKey: null, models: [] };
    const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
    const config: ProviderConfig = configured ?? {};
    if (!configured && !preset)
      return { name, kind: 'demo', baseUrl: null, apiKeyEnv: null, hasKey: null, models: [] };
    const baseUrl = config.baseUrl ?? preset?.baseUrl ?? null;
    const apiKeyEnv = config.apiKeyEnv ?? preset?.apiKeyEnv ?? null;
    return {
      name,
      kind: configured ? 'configured' : 'known',
      baseUrl: baseUrl && withoutKeys(baseUrl),
      apiKeyEnv,
      hasKey: apiKeyEnv === null ? null : Boolean(env[apiKeyEnv]),
      models: Object.entries(modelsOf(config, preset?.defaultModel)).map(([id, model]) => ({
        id,
        contextWindow: model.contextWindow ?? windowOf(id).contextWindow,
        price: model.price ?? config.models?.['*']?.price ?? null,
      })),
    };
  });
}

/** What the configuration lists, and what is used when only the key is set. */
function modelsOf(config: ProviderConfig, usual: string | null | undefined): Record<string, ModelConfig> {
  return { ...(usual && { [usual]: config.models?.['*'] ?? {} }), ...config.models };
}

function keyInWords({ apiKeyEnv, hasKey }: Pick<ProviderEntry, 'apiKeyEnv' | 'hasKey'>): string {
  if (apiKeyEnv === null) return 'no key needed';
  return `${apiKeyEnv} is ${hasKey ? 'set' : 'not set'}`;
}

function priceInWords(price: ModelPrice | null): string {
  if (!price) return 'price not known';
  const { inputUsd, cachedInputUsd, outputUsd } = price;
  const cached = cachedInputUsd === undefined ? '' : ` ($${cachedInputUsd} cached)`;
  return `$${inputUsd} in${cached}, $${outputUsd} out, for a million tokens`;
}
