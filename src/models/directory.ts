import type { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../engine/clock.ts';
import type { RouterConfig } from '../protocol/config.ts';
import { defaults, type ModelApi } from '../protocol/enums.ts';
import type { ChatModel, Endpoint, ModelDirectory } from '../protocol/ports.ts';
import { own } from '../text/wording.ts';
import { fullModelName } from './catalogue/model-name.ts';
import type { Quirks } from './catalogue/quirks.ts';
import type { DemoModelOptions } from './demo/index.ts';
import { addressOf, type FoundModel, findModel, type ModelServer } from './find-model.ts';
import { hostModel, watched } from './host-model.ts';
import { NamedAddresses } from './named-addresses.ts';
import type { ConnectionOptions } from './openai/connection.ts';
import { isChatModel, type Providers } from './provider-config.ts';
import { defaultBreaker } from './router/breaker.ts';
import { createGuard, type ProviderLimits } from './router/guard.ts';
import { withCheckedAnswers } from './wire/checked-answers.ts';
import { withThinking } from './with-thinking.ts';

interface DirectoryOptions {
  providers: Providers;
  env: Readonly<Record<string, string | undefined>>;
  /** Called with the name of every variable whose value is used as a key, so that the caller can redact the value. */
  onKey?: (variable: string) => void;
  /** Default: the system's. */
  clock?: Clock;
  /** How fast the demo answers. */
  demo?: DemoModelOptions;
  router?: Pick<RouterConfig, 'breaker' | 'clients'>;
}

interface ProviderAddress extends ConnectionOptions {
  provider: string;
  quirks?: Partial<Quirks>;
  threading?: boolean;
}

/** Creates the model for each wire. The provider's module is imported with the first call over that wire. */
const makers: Readonly<Record<ModelApi, () => Promise<(at: ProviderAddress) => ChatModel>>> = {
  chat: async () => (await import('./openai/chat.ts')).createOpenAIChat,
  responses: async () => (await import('./openai/responses/responses.ts')).createResponsesModel,
  messages: async () => (await import('./anthropic/messages-model.ts')).createMessagesModel,
};

/**
 * Resolves model names among the presets, the demo and the providers of the configuration. A provider is imported on
 * first use. The directory caches the clients that were used last; a client that it evicts still finishes its calls,
 * because the transport owns the sockets and closes idle ones.
 */
export function createModelDirectory({
  providers,
  env,
  onKey,
  clock = systemClock,
  demo: pace = {},
  router = {},
}: DirectoryOptions): ModelDirectory {
  const made = new Clients(router.clients ?? defaults.router.clients);
  const guard = createGuard({
    breaker: { ...defaultBreaker, ...router.breaker },
    limits: limitsOf(providers),
    clock,
  });
  const addresses = new NamedAddresses(providers, env);
  const guarded = new Map<string, ChatModel>();
  const found = new Map<string, FoundModel>();
  let demo: Promise<ChatModel> | undefined;
  const theDemo = () => {
    demo ??= makeDemo(pace);
    return demo;
  };

  /** Every call of a run asks for its model again, and the answer differs only when the variable of its key or address does. */
  const find = (full: string, endpoint: Endpoint | null): FoundModel => {
    const { baseUrl, apiKeyEnv, api } = endpoint ?? {};
    const id = `${full}\n${baseUrl}\n${apiKeyEnv}\n${api}`;
    const known = found.get(id);
    if (known && hasSameKey(known, env) && hasSameAddress(known, endpoint)) return known;
    if (found.size >= maxFound) found.clear();
    const fresh = findModel(full, endpoint, providers, env);
    found.set(id, fresh);
    return fresh;
  };

  const hasSameAddress = ({ at, provider }: FoundModel, endpoint: Endpoint | null): boolean =>
    at === null || 'generate' in at || addressOf(provider, endpoint, providers, env)?.baseUrl === at.baseUrl;

  const own = (chat: ChatModel, provider: string): ChatModel => {
    const known = guarded.get(provider);
    if (known) return known;
    const checked = withCheckedAnswers(hostModel(chat, provider), provider);
    const made = guard.around(checked, provider, provider);
    guarded.set(provider, made);
    return made;
  };

  const connect = async (provider: string, server: ModelServer): Promise<ChatModel> => {
    const { baseUrl, api, apiKeyEnv, apiKey, headers, quirks, stallTimeoutMs, store, fetch, client } = server;
    if (apiKeyEnv !== null) onKey?.(apiKeyEnv);
    const id = `${provider} ${baseUrl} ${apiKeyEnv} ${api}${client ? ' client' : ''}`;
    return made.get(id, async () => {
      const make = await makers[api]();
      const chat = make({
        provider,
        baseURL: baseUrl,
        apiKey,
        ...(headers && { headers }),
        ...(quirks && { quirks }),
        ...(stallTimeoutMs !== undefined && { idleTimeoutMs: stallTimeoutMs }),
        ...(store !== undefined && { threading: store }),
        ...(fetch && { fetch }),
        ...(client && { client }),
      });
      return guard.around(fetch || client ? watched(chat, provider) : chat, provider, id);
    });
  };

  return {
    async resolve(name, stored) {
      const full = fullModelName(name, providers);
      const endpoint = addresses.require(full, stored);
      const { provider, at, config, ...facts } = find(full, endpoint);
      const chat =
        at === null ? await theDemo() : 'generate' in at ? own(at, provider) : await connect(provider, at);
      return { ...facts, chat: config ? withThinking(chat, config) : chat };
    },
    nameAddress: (name, stored, now) => addresses.name(fullModelName(name, providers), stored, now),
    addressNow: (name, stored) => addresses.find(fullModelName(name, providers), stored),
  };
}

/** Models that the directory remembers: their names may come from requests, so there is no end of them. */
const maxFound = 100;

function hasSameKey({ at }: FoundModel, env: DirectoryOptions['env']): boolean {
  if (at === null || 'generate' in at || at.apiKeyEnv === null) return true;
  return (own(env, at.apiKeyEnv) ?? null) === at.apiKey;
}

/** Without a guard: the demo runs here, and the failures of its tour are played. */
async function makeDemo(pace: DemoModelOptions): Promise<ChatModel> {
  const { createDemoModel } = await import('./demo/index.ts');
  return createDemoModel(pace);
}

function limitsOf(providers: Providers): Record<string, ProviderLimits> {
  return Object.fromEntries(
    Object.entries(providers).flatMap(([name, provider]) =>
      isChatModel(provider) ? [] : [[name, provider]],
    ),
  );
}

/** An LRU cache of clients, by connection. An evicted client keeps working for calls that hold it. */
export class Clients {
  readonly #max: number;
  #kept: Promise<LRUCache<string, Promise<ChatModel>>> | undefined;

  /** @param max number of cached clients; the least recently used one is evicted first */
  constructor(max: number) {
    this.#max = max;
  }

  /** The client of a connection, made on a miss. Rejects as `make` does, and then caches nothing. */
  async get(connection: string, make: () => Promise<ChatModel>): Promise<ChatModel> {
    this.#kept ??= open(this.#max);
    const kept = await this.#kept;
    const client = kept.get(connection) ?? make();
    kept.set(connection, client);
    client.catch(() => kept.peek(connection) === client && kept.delete(connection));
    return client;
  }
}

/** Imports `lru-cache` with the first provider: a run of the demo does not need it. */
async function open(max: number): Promise<LRUCache<string, Promise<ChatModel>>> {
  const { LRUCache } = await import('lru-cache');
  return new LRUCache({ max: max });
}
