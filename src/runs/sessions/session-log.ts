import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { isObject } from '../../protocol/json.ts';

z.config(en());

/**
 * The lines of an exported session: the vocabulary of the OpenAgentic SDK for Kotlin, and under `detent.` all that has
 * no place in it. Unknown types and unknown fields are kept.
 */

const count = z.number().check(z.int(), z.gte(0));
const runPlace = { run_id: z.string(), run_seq: count };

const tokens = z.nullable(
  z.looseObject({
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count,
    cacheWriteInputTokens: z.optional(count),
    reasoningTokens: count,
    estimated: z.optional(z.literal(true)),
  }),
);
const costUsd = z.nullable(z.number().check(z.gte(0), z.lte(1e12)));

const systemInit = z.looseObject({
  session_id: z.optional(z.string()),
  cwd: z.optional(z.string()),
  sdk_version: z.optional(z.string()),
});
const userMessage = z.looseObject({ text: z.string() });
const assistantMessage = z.looseObject({ text: z.string(), is_summary: z.optional(z.boolean()) });
const toolUse = z.looseObject({
  tool_use_id: z.string(),
  name: z.string(),
  input: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
});
const toolResult = z.looseObject({
  tool_use_id: z.string(),
  output: z.optional(z.unknown()),
  is_error: z.optional(z.boolean()),
  error_type: z.optional(z.nullable(z.string())),
  error_message: z.optional(z.nullable(z.string())),
});
const result = z.looseObject({
  final_text: z.optional(z.string()),
  session_id: z.optional(z.string()),
  stop_reason: z.optional(z.nullable(z.string())),
  usage: z.optional(z.nullable(z.looseObject({}))),
  response_id: z.optional(z.nullable(z.string())),
  steps: z.optional(z.nullable(z.number())),
});

const answerFields = {
  upTo: count,
  provider: z.string(),
  model: z.string(),
  reasoning: z.string(),
  refusal: z.string(),
  finishReason: z.nullable(z.string()),
  finish: z.enum(['stop', 'toolCalls', 'length', 'contentFilter', 'refusal', 'unknown']),
  usage: tokens,
  costUsd,
  toolCalls: z.array(
    z.looseObject({ callId: count, id: z.string(), name: z.string(), arguments: z.string() }),
  ),
  providerData: z.optional(z.record(z.string(), z.unknown())),
  error: z.nullable(z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() })),
};
/** The fields of an answer that `assistant.message` and `tool.use` do not have. Comes before them. */
const answer = z.looseObject({ ...runPlace, answer: z.looseObject(answerFields) });
/** A broken-off answer whose call was made again. Its words are in no prompt, so no `assistant.message` follows. */
const withdrawn = z.looseObject({
  ...runPlace,
  answer: z.looseObject({ ...answerFields, text: z.string() }),
});
/** What a person of the staff said in place of the agent. */
const staff = z.looseObject({
  ...runPlace,
  message: z.looseObject({ text: z.string(), by: z.string(), name: z.optional(z.string()) }),
});
const parts = z.optional(
  z.array(
    z.looseObject({
      type: z.enum(['image', 'file']),
      mimeType: z.string(),
      name: z.optional(z.string()),
      artifact: z.string(),
      bytes: count,
    }),
  ),
);
/** The fields of a user's message that `user.message` does not have. Comes before it. */
const message = z.looseObject({
  ...runPlace,
  message: z.looseObject({ parts, job: z.optional(z.looseObject({ id: z.string() })) }),
});
/** The fields of a tool result that `tool.result` does not have. Comes before it. */
const callResult = z.looseObject({
  ...runPlace,
  result: z.looseObject({
    isError: z.boolean(),
    code: z.nullable(z.string()),
    status: z.enum(['done', 'failed', 'rejected', 'skipped', 'cancelled', 'uncertain']),
    artifact: z.optional(z.string()),
    parts,
  }),
});
/** The costs of a summary. Comes before its `assistant.message`. */
const summary = z.looseObject({ ...runPlace, summary: z.looseObject({ usage: tokens, costUsd }) });
const artifact = z.looseObject({
  run_id: z.string(),
  artifact: z.looseObject({
    id: z.string(),
    mime: z.string(),
    /** Of `body`; without it `utf8`. */
    encoding: z.optional(z.enum(['utf8', 'base64'])),
    body: z.string(),
  }),
});
/** Where the conversation in the prompt begins: the `seq` of a line. */
const head = z.looseObject({ at: count });

/** The events that an import understands. It keeps all others unchanged. */
const schemas = {
  'system.init': systemInit,
  'user.message': userMessage,
  'assistant.message': assistantMessage,
  'tool.use': toolUse,
  'tool.result': toolResult,
  result,
  'detent.message': message,
  'detent.answer': answer,
  'detent.withdrawn': withdrawn,
  'detent.staff': staff,
  'detent.result': callResult,
  'detent.summary': summary,
  'detent.artifact': artifact,
  'detent.head': head,
} as const;

type Schemas = typeof schemas;
type KnownType = keyof Schemas;
export type KnownEvent = { [K in KnownType]: { type: K } & z.infer<Schemas[K]> }[KnownType];

/** An event as it is exported, without its `seq` and `ts`. */
export interface LogEvent {
  type: string;
  [field: string]: unknown;
}

/** A transition of a run: its event's body unchanged, and what the log says of it. */
interface TransitionLine extends LogEvent {
  run_id: string;
  run_seq: number;
  path: string;
  hash: string;
  event: Record<string, unknown>;
}

export function isTransitionLine(event: LogEvent): event is TransitionLine {
  return (
    event.type.startsWith('detent.') &&
    typeof event.run_id === 'string' &&
    Number.isInteger(event.run_seq) &&
    typeof event.path === 'string' &&
    isObject(event.event)
  );
}

/**
 * What a parsed line is: an event that an import understands, one of another type, or, as a text, what is wrong with
 * it.
 */
export function readLogEvent(
  value: unknown,
): { known: KnownEvent } | { other: LogEvent } | { wrong: string } {
  if (!isObject(value)) return { wrong: 'it is not an object' };
  const { type } = value;
  if (typeof type !== 'string' || type === '') return { wrong: 'it has no type' };
  if (!Object.hasOwn(schemas, type)) return { other: value as LogEvent };
  const parsed = schemas[type as KnownType].safeParse(value);
  if (parsed.success) return { known: value as KnownEvent };
  const [issue] = parsed.error.issues;
  return { wrong: `${type}: ${issue?.path.map(String).join('.')}: ${issue?.message}` };
}
