import type { ModelApi } from '../protocol/enums.ts';
import { DetentError } from '../protocol/error.ts';
import type { Variables } from '../protocol/json.ts';
import type { ChatModel, Endpoint, ResolvedModel } from '../protocol/ports.ts';
import { modelErrorText } from '../protocol/views.ts';
import { own } from '../text/wording.ts';
import { acceptedBy } from './catalogue/accepts.ts';
import { fullModelName, outputWithin, parseModelName } from './catalogue/model-name.ts';
import { presetOf, presets } from './catalogue/presets.ts';
import { priceOf } from './catalogue/prices.ts';
import type { Quirks } from './catalogue/quirks.ts';
import { windowOf } from './catalogue/windows.ts';
import type { GivenClient } from './openai/given-client.ts';
import { isChatModel, type ModelConfig, type ProviderConfig, type Providers } from './provider-config.ts';
import type { Fetch } from './wire/fetch-transport.ts';
import { checkedURL, checkHeaders } from './wire/provider-options.ts';

/** What Detent knows about a model before it loads or calls the provider. */
export interface FoundModel extends Omit<ResolvedModel, 'chat'> {
  provider: string;
  /** The server, or the host program's own `ChatModel`; null for the demo. */
  at: ModelServer | ChatModel | null;
  /** The model's entry in the configuration. */
  config: ModelConfig | undefined;
}

/** The address, wire and credentials of a model server. */
export interface ModelServer {
  baseUrl: string;
  api: ModelApi;
  /** The environment variable that holds the key; null for a server without keys. */
  apiKeyEnv: string | null;
  apiKey: string | null;
  headers: Readonly<Record<string, string>> | undefined;
  quirks: Partial<Quirks> | undefined;
  /** Longest silence inside a streamed answer; undefined for the default. */
  stallTimeoutMs: number | undefined;
  store: boolean | undefined;
  fetch: Fetch | undefined;
  client: GivenClient | undefined;
}

/**
 * Finds a model by its name. Loads no module, opens no connection and caches nothing.
 *
 * @param name `provider/model`, or a model that one provider lists
 * @param endpoint the address that the request gives for the model; null when it gives none
 * @throws DetentError `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`, `INVALID_BASE_URL`, `INVALID_HEADER`, `MISSING_KEY`.
 */
export function findModel(
  name: string,
  endpoint: Endpoint | null,
  providers: Providers,
  env: Variables,
): FoundModel {
  const { provider, model } = parseModelName(fullModelName(name, providers));
  const at = resolveAddress(provider, model, endpoint, providers, env);
  const configured = own(providers, provider);
  const given = configured && isChatModel(configured) ? configured : undefined;
  const models = configured && !isChatModel(configured) ? configured.models : undefined;
  const config = models && (own(models, model) ?? models['*']);
  const known = windowOf(model);
  const contextWindow = config?.contextWindow ?? given?.contextWindow ?? known.contextWindow;
  return {
    provider,
    model,
    at,
    config,
    contextWindow,
    maxOutputTokens:
      config?.maxOutputTokens ?? given?.maxOutputTokens ?? outputWithin(contextWindow, known.maxOutputTokens),
    sendMaxOutputTokens: config?.maxOutputTokens !== undefined,
    price: config?.price ?? listedPrice(provider, model, at),
    accepts: config?.accepts ?? given?.accepts ?? acceptedBy(provider, model),
  };
}

function resolveAddress(
  provider: string,
  model: string,
  endpoint: Endpoint | null,
  providers: Providers,
  env: Variables,
): FoundModel['at'] {
  const configured = own(providers, provider);
  if (!endpoint?.baseUrl) {
    if (configured && isChatModel(configured)) return configured;
    if (!configured && provider === 'demo') {
      checkDemo(model);
      return null;
    }
  }
  return serverOf(provider, endpoint, providers, env);
}

/** The provider's address and key. A variable that the configuration names must be set. */
function serverOf(
  provider: string,
  endpoint: Endpoint | null,
  providers: Providers,
  env: Variables,
): ModelServer {
  const address = addressOf(provider, endpoint, providers, env);
  if (!address) throw unknownProvider(provider, Object.keys(providers));
  const { baseUrl, api, apiKeyEnv } = address;
  checkedURL(baseUrl, 'http://127.0.0.1:11434/v1', address.baseUrlEnv);
  const config = configOf(provider, providers);
  const preset = presetOf(provider);
  const named = apiKeyEnv === null ? undefined : (endpoint?.apiKeyEnv ?? config.apiKeyEnv);
  if (named !== undefined && !own(env, named)) throw missingKey(provider, named);
  // A preset's own server needs its key; a server named by hand gets it when there is one.
  if (baseUrl === preset?.baseUrl && !preset.isKeyOptional && apiKeyEnv !== null && !own(env, apiKeyEnv))
    throw missingKey(provider, apiKeyEnv);
  const apiKey = apiKeyEnv === null ? null : (own(env, apiKeyEnv) ?? null);
  const { headers, quirks, stallTimeoutMs, store, fetch } = config;
  const client = clientOf(config, endpoint);
  if (client && api === 'messages')
    throw new DetentError(
      'INVALID_PROVIDER',
      `provider "${provider}" has a client of the openai package, which speaks "chat" or "responses", not "messages"`,
    );
  checkHeaders({ apiKey, ...(headers && { headers }) });
  return { baseUrl, api, apiKeyEnv, apiKey, headers, quirks, stallTimeoutMs, store, fetch, client };
}

/**
 * Where a provider answers, and by which variable and protocol; null for a `ChatModel` and where nothing says so. A preset's
 * address may be set in the environment, beside its key: `OPENAI_BASE_URL` beside `OPENAI_API_KEY`.
 */
export function addressOf(
  provider: string,
  endpoint: Endpoint | null,
  providers: Providers,
  env: Variables,
): (Pick<ModelServer, 'baseUrl' | 'api' | 'apiKeyEnv'> & { baseUrlEnv: string | null }) | null {
  const config = configOf(provider, providers);
  const preset = presetOf(provider);
  const client = clientOf(config, endpoint);
  const named = endpoint?.baseUrl ?? client?.baseURL ?? config.baseUrl;
  const variable = preset?.apiKeyEnv.replace(/_API_KEY$/, '_BASE_URL') ?? null;
  const baseUrlEnv = named === undefined && variable !== null && env[variable] ? variable : null;
  const baseUrl = named ?? (baseUrlEnv === null ? preset?.baseUrl : env[baseUrlEnv]);
  if (!baseUrl) return null;
  const apiKeyEnv = client ? null : (endpoint?.apiKeyEnv ?? config.apiKeyEnv ?? preset?.apiKeyEnv ?? null);
  const api = endpoint?.api ?? config.api ?? preset?.api ?? 'chat';
  return { baseUrl, api, apiKeyEnv, baseUrlEnv };
}

/** A client makes the calls of its provider, unless the request names another address. */
function clientOf({ client }: ProviderConfig, endpoint: Endpoint | null): GivenClient | undefined {
  return endpoint?.baseUrl === undefined ? client : undefined;
}

function configOf(provider: string, providers: Providers): ProviderConfig {
  const configured = own(providers, provider);
  return configured && !isChatModel(configured) ? configured : {};
}

/** As {@link findModel}. @throws DetentError also what a model of the program's own throws from `check`. */
export function findUsableModel(...wanted: Parameters<typeof findModel>): FoundModel {
  const found = findModel(...wanted);
  if (found.at && 'generate' in found.at) found.at.check?.();
  return found;
}

function listedPrice(provider: string, model: string, at: FoundModel['at']): FoundModel['price'] {
  // The demo calls no provider.
  if (at === null) return { inputUsd: 0, outputUsd: 0 };
  return 'generate' in at ? (at.price ?? null) : priceOf(provider, at.baseUrl, model);
}

/** The second one begins with a guided tour. */
const demoModels: readonly string[] = ['demo', 'tour'];

function checkDemo(model: string): void {
  if (!demoModels.includes(model))
    throw new DetentError(
      'UNKNOWN_MODEL',
      `provider "demo" has the models demo/demo and demo/tour, not "demo/${model}"`,
    );
}

function unknownProvider(provider: string, configured: readonly string[]): DetentError {
  if (provider === 'script')
    return new DetentError(
      'UNKNOWN_MODEL',
      'a script answers only in a process that is started with it: set DETENT_MODEL=script/FILE, or give "detent cron serve" or "detent serve" the option --model script/FILE, and name no model here',
      { details: { provider } },
    );
  if (configured.includes(provider))
    return new DetentError(
      'INVALID_PROVIDER',
      `provider "${provider}" has no address; set models.${provider}.baseUrl, or give it a client or a ChatModel`,
      { details: { provider } },
    );
  const known = [...new Set([...Object.keys(presets), 'demo', ...configured])].sort();
  return new DetentError(
    'UNKNOWN_MODEL',
    modelErrorText('model_provider_unknown', { provider, known: known.join(', ') }),
    { details: { provider, known } },
  );
}

function missingKey(provider: string, variable: string): DetentError {
  return new DetentError('MISSING_KEY', modelErrorText('model_key_missing', { provider, variable }), {
    details: { provider, variable },
  });
}
