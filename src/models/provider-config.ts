import type { ChatModel, ModelApi, ModelPrice } from '../ports/chat-model.ts';
import type { Acceptable } from '../protocol/parts.ts';
import type { Quirks } from './catalogue/quirks.ts';
import type { ProviderLimits } from './router/guard.ts';
import type { ThinkingConfig } from './with-thinking.ts';

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

/** Providers by name: where they answer, or a model of the program's own. */
export type Providers = Readonly<Record<string, ProviderConfig | ChatModel>>;

export function isChatModel(value: ProviderConfig | ChatModel): value is ChatModel {
  return 'generate' in value && typeof value.generate === 'function';
}
