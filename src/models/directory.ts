import type {
  ChatModel,
  Endpoint,
  ModelApi,
  ModelDirectory,
  ModelPrice,
  ResolvedModel,
} from '../agent/chat-model.ts';
import { DetentError } from '../protocol/error.ts';
import { fullModelName, parseModelName } from './model-name.ts';
import { presets } from './presets.ts';
import { windowOf } from './windows.ts';

/** A provider that speaks one of the known wires. */
export interface ProviderConfig {
  baseUrl?: string;
  /** Default: that of the known provider of this name, else `chat`. */
  api?: ModelApi;
  /** The variable that holds the key. */
  apiKeyEnv?: string;
  headers?: Record<string, string>;
  /** By the provider's model id; `*` for all others. */
  models?: Record<string, ModelConfig>;
}

export interface ModelConfig {
  /** Tokens that prompt and answer share. */
  contextWindow?: number;
  /** Tokens of one answer at most; sent with every call when it is given. */
  maxOutputTokens?: number;
  price?: ModelPrice;
}

export interface DirectoryOptions {
  providers: Readonly<Record<string, ProviderConfig | ChatModel>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Told of every variable whose value is used as a key: whatever its name, it is a secret. */
  onKey?: (variable: string) => void;
}

interface ProviderAddress {
  baseURL: string;
  apiKey: string | null;
  headers?: Readonly<Record<string, string>>;
}

/** What makes a model for each wire; loaded with the first call over it. */
const makers: Readonly<Record<ModelApi, () => Promise<(at: ProviderAddress) => ChatModel>>> = {
  chat: async () => (await import('./openai/chat.ts')).createOpenAIChat,
  responses: async () => (await import('./openai/responses/responses.ts')).createResponsesModel,
  messages: async () => (await import('./anthropic/messages.ts')).createMessagesModel,
};

/** Knows the presets, the demo, and what the configuration adds. Providers are loaded when first asked for. */
export function createModelDirectory({ providers, env, onKey }: DirectoryOptions): ModelDirectory {
  const made = new Map<string, ChatModel>();

  const connect = async (provider: string, endpoint: Endpoint | null): Promise<ChatModel> => {
    const { baseUrl, apiKeyEnv, headers, api } = connection(provider, endpoint);
    const apiKey = apiKeyEnv === null ? null : (env[apiKeyEnv] ?? null);
    if (apiKeyEnv !== null) onKey?.(apiKeyEnv);
    const id = `${provider} ${baseUrl} ${apiKeyEnv} ${api}`;
    const cached = made.get(id);
    if (cached) return cached;
    const chat = (await makers[api]())({ baseURL: baseUrl, apiKey, ...(headers && { headers }) });
    made.set(id, chat);
    return chat;
  };

  /** Where the provider is and which variable holds its key; a variable that is named must be set. */
  const connection = (provider: string, endpoint: Endpoint | null) => {
    const configured = providers[provider];
    const config = configured && !isChatModel(configured) ? configured : undefined;
    const preset = presets[provider];
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
    if (baseUrl === preset?.baseUrl && apiKeyEnv !== null && !env[apiKeyEnv])
      throw missingKey(provider, apiKeyEnv);
    const api = endpoint?.api ?? config?.api ?? preset?.api ?? 'chat';
    return { baseUrl, apiKeyEnv, headers: config?.headers, api };
  };

  return {
    async resolve(name, endpoint): Promise<ResolvedModel> {
      const { provider, model } = parseModelName(fullModelName(name, providers));
      const configured = providers[provider];
      const chat =
        provider === 'demo' && !configured && !endpoint?.baseUrl
          ? await demo(made, model)
          : configured && isChatModel(configured) && !endpoint?.baseUrl
            ? configured
            : await connect(provider, endpoint);
      const config = configured && !isChatModel(configured) ? configured : undefined;
      const limits = config?.models?.[model] ?? config?.models?.['*'];
      const known = windowOf(model);
      const contextWindow = limits?.contextWindow ?? known.contextWindow;
      return {
        chat,
        model,
        contextWindow,
        // A small window still needs room for a prompt.
        maxOutputTokens:
          limits?.maxOutputTokens ?? Math.min(known.maxOutputTokens, Math.floor(contextWindow / 4)),
        sendMaxOutputTokens: limits?.maxOutputTokens !== undefined,
        price: limits?.price ?? chat.price ?? null,
      };
    },
  };
}

async function demo(made: Map<string, ChatModel>, model: string): Promise<ChatModel> {
  if (model !== 'demo')
    throw new DetentError('UNKNOWN_MODEL', `provider "demo" has one model: demo/demo, not "demo/${model}"`);
  const cached = made.get('demo');
  if (cached) return cached;
  const { createDemoModel } = await import('./demo/index.ts');
  const chat = createDemoModel();
  made.set('demo', chat);
  return chat;
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
