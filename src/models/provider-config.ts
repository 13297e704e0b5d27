import type { Acceptable } from '../protocol/content.ts';
import type { ModelApi } from '../protocol/enums.ts';
import { DetentError } from '../protocol/error.ts';
import type { ChatModel, Endpoint, ModelPrice } from '../protocol/ports.ts';
import { modelErrorText } from '../protocol/views.ts';
import { shellWord } from '../text/wording.ts';
import type { Quirks } from './catalogue/quirks.ts';
import type { GivenClient } from './openai/given-client.ts';
import type { ProviderLimits } from './router/guard.ts';
import type { Fetch } from './wire/fetch-transport.ts';
import type { ThinkingConfig } from './with-thinking.ts';

/** Configuration of a provider that speaks one of the known wires. */
export interface ProviderConfig extends ProviderLimits {
  baseUrl?: string;
  /** Default: the wire of the preset of this name, else `chat`. */
  api?: ModelApi;
  /** The environment variable that holds the key. */
  apiKeyEnv?: string;
  headers?: Record<string, string>;
  /** Overrides of the quirks that the presets have for its chat-completions wire. */
  quirks?: Partial<Quirks>;
  /** Longest silence inside a streamed answer, in milliseconds. Default 120,000. */
  stallTimeoutMs?: number;
  /**
   * Whether the server keeps the answers of the `responses` wire, so that a request names the last one (`previous_response_id`) in
   * place of the conversation before it. Default false: it is told to keep nothing.
   */
  store?: boolean;
  /** Sends its requests in place of Detent's own transport. */
  fetch?: Fetch;
  /** A client of the `openai` package, which makes its calls: its address and key count. */
  client?: GivenClient;
  /** By the provider's model id; `*` for all others. */
  models?: Record<string, ModelConfig>;
}

export interface ModelConfig extends ThinkingConfig {
  /** Tokens of prompt and answer together. */
  contextWindow?: number;
  /** Maximum tokens of one answer; sent with every call when it is set. */
  maxOutputTokens?: number;
  price?: ModelPrice;
  /** Content types that it takes besides text; `[]` for text alone. Overrides the built-in table. */
  accepts?: Acceptable[];
}

/** Providers by name: a server's configuration, or the host program's own model. */
export type Providers = Readonly<Record<string, ProviderConfig | ChatModel>>;

export function isChatModel(value: ProviderConfig | ChatModel): value is ChatModel {
  return 'generate' in value && typeof value.generate === 'function';
}

/** The flags of the command line that name an address: ` --base-url URL --api-key-env NAME`; empty for none. */
export function addressFlags(endpoint: Endpoint | null | undefined): string {
  const { baseUrl, apiKeyEnv, api } = endpoint ?? {};
  const given = [
    ['--base-url', baseUrl],
    ['--api-key-env', apiKeyEnv],
    ['--api', api],
  ].flatMap(([flag, value]) => (value === undefined ? [] : [` ${flag} ${shellWord(value)}`]));
  return given.join('');
}

/**
 * The error for an address that only a row of the database names. A database may come from anywhere, and a key must not go
 * where it says.
 *
 * @param command names the address again
 */
export function addressNotNamed(model: string, stored: Endpoint | null, command: string): DetentError {
  const address = stored?.baseUrl ?? stored?.apiKeyEnv ?? stored?.api ?? '';
  return new DetentError(
    'ADDRESS_NOT_NAMED',
    modelErrorText('model_address_not_named', { model, address, provider: providerOf(model), command }),
    { details: { model, endpoint: stored, command } },
  );
}

/** The provider of `provider/model`. */
export function providerOf(model: string): string {
  return model.split('/', 1)[0] ?? '';
}
