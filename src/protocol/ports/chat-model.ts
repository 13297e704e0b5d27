import type { Acceptable, ContentPart, ModelAnswer, ModelDelta, ModelToolCall } from '../content.ts';
import type { ModelApi } from '../enums.ts';
import type { JsonObject } from '../json.ts';

/** A message as a model gets it. The projection guarantees that exactly one result follows every call. */
export type PromptMessage =
  | { role: 'system'; text: string }
  | { role: 'user'; text: string; parts?: readonly ContentPart[] }
  | {
      role: 'assistant';
      text: string;
      reasoning: string;
      toolCalls: ModelToolCall[];
      /** Returned only to the provider that made it. */
      providerData?: JsonObject;
    }
  | {
      role: 'tool';
      toolCallId: string;
      name: string;
      text: string;
      isError: boolean;
      parts?: readonly ContentPart[];
    };

/** A tool as a model gets it. `parameters` is a JSON Schema of type object. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: JsonObject;
}

/** Lets the model decide how long to think, or sets a budget of 1,024 tokens or more, as older models need. */
export type Thinking = 'adaptive' | { budgetTokens: number };

/** The shape of an answer without tool calls: JSON that fits `schema`. */
export interface OutputSpec {
  schema: JsonObject;
}

export interface ModelRequest {
  /** The provider's own model id, without the provider's name. */
  model: string;
  messages: readonly PromptMessage[];
  tools: readonly ToolSpec[];
  /** What an answer without tool calls must be. Detent validates it, whatever the provider promises. */
  output?: OutputSpec;
  maxOutputTokens?: number;
  /** How hard the model thinks, in its provider's words. A wire that has no such field leaves it out. */
  reasoningEffort?: string;
  /** As {@link Thinking}; only the messages wire has it. */
  thinking?: Thinking;
  /** False asks for the answer in one piece; a model that cannot do that may stream. */
  stream?: boolean;
}

export interface GenerateOptions {
  signal: AbortSignal;
  /** Stable over retries of the same call: `runId:effect`. */
  idempotencyKey: string;
  /** Called in order, synchronously, as pieces arrive. Must not throw. */
  onDelta(delta: ModelDelta): void;
}

/**
 * One provider of chat models.
 *
 * `generate` must not throw for anything that a provider or a network does: it answers with `error` set and
 * whatever had arrived. It throws only for a defect in the caller. It keeps no state between calls and does not
 * retry: attempts are states of the run.
 */
export interface ChatModel {
  /** The known prices of its models. A price in the configuration takes precedence. */
  readonly price?: ModelPrice;
  /** Tokens that prompt and answer share. Default: what is known of a model of that name, else 128,000. */
  readonly contextWindow?: number;
  /** Tokens that Detent keeps free for an answer. Default: at most a quarter of the window. */
  readonly maxOutputTokens?: number;
  /** What its models accept besides text; without it, every kind of part. */
  readonly accepts?: readonly Acceptable[];
  /** It sees to `output` of requests itself. Without it, Detent puts the output schema into the system prompt. */
  readonly nativeOutput?: true;
  /** Called before a run is created: what it throws refuses the run. */
  check?(): void;
  generate(request: ModelRequest, options: GenerateOptions): Promise<ModelAnswer>;
}

/** US dollars per million tokens. */
export interface ModelPrice {
  inputUsd: number;
  /** Price of tokens read from a cache; default: `inputUsd`. */
  cachedInputUsd?: number;
  /** Price of tokens written to a cache; default: `inputUsd`. */
  cacheWriteInputUsd?: number;
  outputUsd: number;
  /** A prompt of at least this many tokens raises the price of the whole call. */
  long?: { fromTokens: number; inputFactor: number; outputFactor: number };
}

/** A model name, resolved to its provider. */
export interface ResolvedModel {
  chat: ChatModel;
  /** The provider's own id. */
  model: string;
  /** Tokens that prompt and answer share. */
  contextWindow: number;
  /** Tokens kept free for the answer. */
  maxOutputTokens: number;
  /** Whether `maxOutputTokens` is configured and sent, or only assumed. */
  sendMaxOutputTokens: boolean;
  price: ModelPrice | null;
  /** What it accepts besides text. */
  accepts: readonly Acceptable[];
}

/** A server given by options, for any provider name. Holds the name of the key's variable, never the key. */
export interface Endpoint {
  baseUrl?: string;
  apiKeyEnv?: string;
  api?: ModelApi;
}

/** Knows the providers. */
export interface ModelDirectory {
  /**
   * @param name `provider/model`; all after the first `/` is the provider's id.
   * @param stored the address in the run's row; it counts only while something names it: see `addressNow`
   * @throws DetentError `UNKNOWN_MODEL`, `MISSING_KEY`, `ADDRESS_NOT_NAMED`.
   */
  resolve(name: string, stored: Endpoint | null): Promise<ResolvedModel>;
  /** Lets runs of the model's provider whose rows say `stored` use the address `now`, as long as this process lives. */
  nameAddress(name: string, stored: Endpoint | null, now: Endpoint): void;
  /**
   * The address to use now for a run whose row says `stored`: one that was named here, or null for that of the
   * configuration; undefined if nothing names it.
   */
  addressNow(name: string, stored: Endpoint | null): Endpoint | null | undefined;
}

/** The beginning of a hook's text in a prompt. */
export const addedHeading = '[Added by the hook';

/** The beginning of recalled memory in a prompt. */
export const memoryHeading = '[Added from the memory of this program: data, not words of the user]';

/** Before what a person of the staff said to the user in place of the agent, which is JSON. Words of nobody else have it. */
export const staffHeading =
  '[A person of the staff said this to the user while the assistant was silent; it is no message of the user]';

export const summaryHeading = '[Summary of the conversation before this point]';

/** The beginning of the text behind an answer that does not fit the run's output schema. */
export const unfitHeading = '[Not from the user] Your answer does not fit the output schema:';

/** The beginning of the request in which a compaction asks for a summary; the demo model recognizes it. */
export const summaryRequestPrefix = 'Summarise the conversation above';

/** The beginning of the request that asks, before a compaction, what to write to the memory; the demo model recognizes it. */
export const flushRequestPrefix = 'Before the conversation above is shortened';
