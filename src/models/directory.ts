import { type Clock, systemClock } from '../engine/clock.ts';
import type {
  ChatModel,
  Endpoint,
  ModelApi,
  ModelDirectory,
  ModelPrice,
  ResolvedModel,
} from '../ports/chat-model.ts';
import { router as routerField } from '../protocol/config/models.ts';
import type { RouterConfig } from '../protocol/config.ts';
import { DetentError } from '../protocol/error.ts';
import type { Acceptable } from '../protocol/parts.ts';
import { acceptedBy } from './catalogue/accepts.ts';
import { fullModelName, parseModelName } from './catalogue/model-name.ts';
import { presetOf, presets } from './catalogue/presets.ts';
import { priceOf } from './catalogue/prices.ts';
import type { Quirks } from './catalogue/quirks.ts';
import { windowOf } from './catalogue/windows.ts';
import { defaultBreaker } from './router/breaker.ts';
import { Clients } from './router/clients.ts';
import { createGuard, type ProviderLimits } from './router/guard.ts';
import { type ThinkingConfig, withThinking } from './with-thinking.ts';

/** A provider that speaks one of the known wires. */
export interface ProviderConfig extends ProviderLimits {
  baseUrl?: string;
  /** Default: that of the known provider of this name, else `chat`. */
  api?: ModelApi;
  /** The variable that holds the key. */
  apiKeyEnv?: string;
  headers?: Record<string, string>;
  /** Where its chat-completions wire differs from what is known of it. */
  quirks?: Partial<Quirks>;
  /** By the provider's model id; `*` for all others. */
  models?: Record<string, ModelConfig>;
}

export interface ModelConfig extends ThinkingConfig {
  /** Tokens that prompt and answer share. */
  contextWindow?: number;
  /** Tokens of one answer at most; sent with every call when it is given. */
  maxOutputTokens?: number;
  price?: ModelPrice;
  /** What it takes besides text, where that is not known or known wrong; `[]` for text alone. */
  accepts?: Acceptable[];
}

export interface DirectoryOptions {
  providers: Readonly<Record<string, ProviderConfig | ChatModel>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Told of every variable whose value is used as a key: whatever its name, it is a secret. */
  onKey?: (variable: string) => void;
  /** Default: the system's. */
  clock?: Clock;
  router?: Pick<RouterConfig, 'breaker' | 'clients'>;
}

interface ProviderAddress {
  provider: string;
  baseURL: string;
  apiKey: string | null;
  headers?: Readonly<Record<string, string>>;
  quirks?: Partial<Quirks>;
}

/** What makes a model for each wire; loaded with the first call over it. */
const makers: Readonly<Record<ModelApi, () => Promise<(at: ProviderAddress) => ChatModel>>> = {
  chat: async () => (await import('./openai/chat.ts')).createOpenAIChat,
  responses: async () => (await import('./openai/responses/responses.ts')).createResponsesModel,
  messages: async () => (await import('./anthropic/messages.ts')).createMessagesModel,
};

/**
 * Knows the presets, the demo, and what the configuration adds. Providers are loaded when first asked for; the clients
 * last used are kept. One that is dropped finishes its calls: the sockets are the transport's, which closes idle ones.
 */
export function createModelDirectory({
  providers,
  env,
  onKey,
  clock = systemClock,
  router = {},
}: DirectoryOptions): ModelDirectory {
  const made = new Clients(router.clients ?? routerField.fields.clients.default);
  const guard = createGuard({
    breaker: { ...defaultBreaker, ...router.breaker },
    limits: limitsOf(providers),
    clock,
  });
  const guarded = new Map<string, ChatModel>();
  let demo: Promise<ChatModel> | undefined;
  const theDemo = () => {
    demo ??= makeDemo();
    return demo;
  };

  const own = (chat: ChatModel, provider: string): ChatModel => {
    const known = guarded.get(provider) ?? guard.around(chat, provider, provider);
    guarded.set(provider, known);
    return known;
  };

  const connect = async (provider: string, endpoint: Endpoint | null): Promise<ChatModel> => {
    const { baseUrl, apiKeyEnv, headers, quirks, api } = connection(provider, endpoint);
    const apiKey = apiKeyEnv === null ? null : (env[apiKeyEnv] ?? null);
    if (apiKeyEnv !== null) onKey?.(apiKeyEnv);
    const id = `${provider} ${baseUrl} ${apiKeyEnv} ${api}`;
    return made.get(id, async () => {
      const make = await makers[api]();
      const chat = make({
        provider,
        baseURL: baseUrl,
        apiKey,
        ...(headers && { headers }),
        ...(quirks && { quirks }),
      });
      return guard.around(chat, provider, id);
    });
  };

  /** Where the provider is and which variable holds its key; a variable that is named must be set. */
  const connection = (provider: string, endpoint: Endpoint | null) => {
    const configured = providers[provider];
    const config = configured && !isChatModel(configured) ? configured : undefined;
    const preset = presetOf(provider);
    const baseUrl = endpoint?.baseUrl ?? config?.baseUrl ?? preset?.baseUrl;
    if (!baseUrl) throw unknownProvider(provider, Object.keys(providers));
    if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
      throw new DetentError(
        'INVALID_BASE_URL',
        `"${baseUrl}" is not an http(s) URL; give one like http://127.0.0.1:11434/v1`,
      );
    const named = endpoint?.apiKeyEnv ?? config?.apiKeyEnv;
    if (named !== undefined && !env[named]) throw missingKey(provider, named);
    // A preset's own server needs its key; a server named by hand gets it when there is one.
    const apiKeyEnv = named ?? preset?.apiKeyEnv ?? null;
    if (baseUrl === preset?.baseUrl && !preset.isKeyOptional && apiKeyEnv !== null && !env[apiKeyEnv])
      throw missingKey(provider, apiKeyEnv);
    const api = endpoint?.api ?? config?.api ?? preset?.api ?? 'chat';
    return { baseUrl, apiKeyEnv, headers: config?.headers, quirks: config?.quirks, api };
  };

  return {
    async resolve(name, endpoint): Promise<ResolvedModel> {
      const { provider, model } = parseModelName(fullModelName(name, providers));
      const configured = providers[provider];
      const isDemo = provider === 'demo' && !configured && !endpoint?.baseUrl;
      if (isDemo) checkDemo(model);
      const program = configured && isChatModel(configured) && !endpoint?.baseUrl ? configured : null;
      const chat = isDemo
        ? await theDemo()
        : program
          ? own(program, provider)
          : await connect(provider, endpoint);
      const isKnown = !isDemo && !program;
      const listed = isKnown ? priceOf(provider, connection(provider, endpoint).baseUrl, model) : null;
      const config = configured && !isChatModel(configured) ? configured : undefined;
      const limits = config?.models?.[model] ?? config?.models?.['*'];
      const known = windowOf(model);
      const contextWindow = limits?.contextWindow ?? known.contextWindow;
      return {
        chat: limits ? withThinking(chat, limits) : chat,
        model,
        contextWindow,
        // A small window still needs room for a prompt.
        maxOutputTokens:
          limits?.maxOutputTokens ?? Math.min(known.maxOutputTokens, Math.floor(contextWindow / 4)),
        sendMaxOutputTokens: limits?.maxOutputTokens !== undefined,
        price: limits?.price ?? chat.price ?? listed,
        accepts: limits?.accepts ?? acceptedByOwn(configured) ?? acceptedBy(provider, model),
      };
    },
  };
}

function acceptedByOwn(configured: ProviderConfig | ChatModel | undefined) {
  return configured && isChatModel(configured) ? configured.accepts : undefined;
}

function checkDemo(model: string): void {
  if (model !== 'demo')
    throw new DetentError('UNKNOWN_MODEL', `provider "demo" has one model: demo/demo, not "demo/${model}"`);
}

/** Nobody to guard against: it runs here. */
async function makeDemo(): Promise<ChatModel> {
  const { createDemoModel } = await import('./demo/index.ts');
  return createDemoModel();
}

function limitsOf(providers: DirectoryOptions['providers']): Record<string, ProviderLimits> {
  return Object.fromEntries(
    Object.entries(providers).flatMap(([name, provider]) =>
      isChatModel(provider) ? [] : [[name, provider]],
    ),
  );
}

function isChatModel(value: ProviderConfig | ChatModel): value is ChatModel {
  return 'generate' in value && typeof value.generate === 'function';
}

function unknownProvider(provider: string, configured: readonly string[]): DetentError {
  const known = [...new Set([...Object.keys(presets), 'demo', ...configured])].sort();
  return new DetentError(
    'UNKNOWN_MODEL',
    `no provider "${provider}"; known are ${known.join(', ')}; for any other server add --base-url, or "models" to the config`,
    { details: { provider, known } },
  );
}

function missingKey(provider: string, variable: string): DetentError {
  return new DetentError(
    'MISSING_KEY',
    `provider "${provider}" needs an API key: set the environment variable ${variable}`,
    { details: { provider, variable } },
  );
}
