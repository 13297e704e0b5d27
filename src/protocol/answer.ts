import type { JsonObject } from './json.ts';
import type { TokenUsage } from './usage.ts';

/** A tool call as the model wrote it. `arguments` is its raw text, which need not be valid JSON. */
export interface ModelToolCall {
  /** The provider's id; may be empty, and may repeat between answers. */
  id: string;
  name: string;
  arguments: string;
}

/** Why an answer ended, in our words; `unknown` when the provider gave no reason or one we do not know. */
export type FinishKind = 'stop' | 'toolCalls' | 'length' | 'contentFilter' | 'refusal' | 'unknown';

export type ModelErrorKind =
  | 'auth'
  | 'permission'
  | 'not_found'
  | 'bad_request'
  | 'context_overflow'
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'timeout'
  | 'network'
  | 'aborted'
  | 'malformed';

/** A failed model call. `code` is ours and stable (`MODEL_AUTH`), `providerCode` the provider's own word. */
export interface ModelError {
  kind: ModelErrorKind;
  code: string;
  message: string;
  retryable: boolean;
  status?: number;
  providerCode?: string;
  /** From `Retry-After`; milliseconds from the moment the answer came. */
  retryAfterMs?: number;
}

/** One whole model answer. With `error` set, the other fields hold what had arrived before the failure. */
export interface ModelAnswer {
  /** The model that answered, in the provider's words. */
  model: string;
  text: string;
  reasoning: string;
  refusal: string;
  toolCalls: ModelToolCall[];
  /** The provider's own word; null when it gave none. */
  finishReason: string | null;
  finish: FinishKind;
  usage: TokenUsage | null;
  /** What the provider wants to see again unchanged (`reasoning_details`, signatures); opaque to everyone else. */
  providerData?: JsonObject;
  error: ModelError | null;
  /** Set when it was kept from an earlier call that asked the same: nobody was asked. */
  cached?: true;
}

/** The answer of a call that brought nothing but its failure. */
export function unanswered(model: string, error: ModelError): ModelAnswer {
  return {
    model,
    text: '',
    reasoning: '',
    refusal: '',
    toolCalls: [],
    finishReason: null,
    finish: 'unknown',
    usage: null,
    error,
  };
}

/** A piece of a streaming answer. Never stored; lost pieces are no loss. */
export type ModelDelta =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'refusal'; text: string }
  | { type: 'toolCall'; index: number; id: string; name: string; argumentsDelta: string };
