import { isObject, type JsonObject } from './json.ts';
import type { TokenUsage } from './token-usage.ts';

/** A tool call as the model wrote it. `arguments` is its raw text, which need not be valid JSON. */
export interface ModelToolCall {
  /** The provider's id; may be empty, and may repeat between answers. */
  id: string;
  name: string;
  arguments: string;
}

/** Why an answer ended, normalised; `unknown` if the provider gave no reason, or one that Detent does not know. */
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

/** A failed model call. `code` is Detent's stable code (`MODEL_AUTH`), `providerCode` that of the provider. */
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
  /** Data to send back to the provider unchanged (`reasoning_details`, signatures). Only its adapter reads it. */
  providerData?: JsonObject;
  error: ModelError | null;
  /** Set if the answer comes from the cache: no provider was called. */
  cached?: true;
  /** Set with `error`, if the provider had begun to answer: it has read the prompt, and charges for it. */
  began?: true;
}

/** The answer of a call that failed before any output. */
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

/** A delta of a streaming answer. Deltas are never stored; the whole answer follows. */
export type ModelDelta =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'refusal'; text: string }
  | { type: 'toolCall'; index: number; id: string; name: string; argumentsDelta: string };

export function deltaText(delta: ModelDelta): string {
  return delta.type === 'toolCall' ? delta.argumentsDelta : delta.text;
}

export function isModelDelta(delta: unknown): delta is ModelDelta {
  if (!isObject(delta)) return false;
  const { type, index, text, argumentsDelta } = delta;
  if (type === 'toolCall') return Number.isInteger(index) && typeof argumentsDelta === 'string';
  return (type === 'text' || type === 'reasoning' || type === 'refusal') && typeof text === 'string';
}
