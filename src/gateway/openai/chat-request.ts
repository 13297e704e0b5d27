import * as z from 'zod/mini';
import { type Method, method } from '../methods/method.ts';
import { type ClientTools, chatTools, toolFields } from './client-tools.ts';
import {
  type Conversation,
  content,
  conversationOf,
  invalidRequest,
  readContent,
  type Turn,
} from './conversation.ts';
import {
  ignored,
  ignoredFields,
  type OutputFormat,
  outputOf,
  refuseGiven,
  type SessionFields,
  sessionFields,
} from './request-fields.ts';

const call = z.looseObject({
  id: z.string().check(z.minLength(1), z.maxLength(200)),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().check(z.maxLength(200)), arguments: z.string() }),
});

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.nullish(content),
  refusal: z.nullish(z.string()),
  tool_calls: z.nullish(z.array(call).check(z.maxLength(1000))),
  tool_call_id: z.optional(z.string().check(z.maxLength(200))),
});

const format = z.union([
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().check(z.maxLength(200)),
      schema: z.record(z.string(), z.json()),
    }),
  }),
]);

const input = z.strictObject({
  model: z.string().check(z.minLength(1), z.maxLength(200)),
  messages: z.array(message).check(z.minLength(1), z.maxLength(10_000)),
  stream: z.nullish(z.boolean()),
  stream_options: z.nullish(z.looseObject({ include_usage: z.nullish(z.boolean()) })),
  response_format: z.nullish(format),
  ...sessionFields,
  ...ignoredFields,
  ...ignored([
    'frequency_penalty',
    'logit_bias',
    'max_completion_tokens',
    'max_tokens',
    'prediction',
    'presence_penalty',
    'reasoning_effort',
    'seed',
    'verbosity',
  ]),
  audio: z.optional(z.unknown()),
  function_call: z.optional(z.unknown()),
  functions: z.optional(z.unknown()),
  logprobs: z.nullish(z.boolean()),
  modalities: z.nullish(z.array(z.string())),
  moderation: z.optional(z.unknown()),
  n: z.nullish(z.int()),
  stop: z.optional(z.unknown()),
  ...toolFields,
  web_search_options: z.optional(z.unknown()),
});

/** A request for a chat completion, as a run answers it. */
export interface ChatRequest extends Conversation {
  model: string;
  clientTools: ClientTools;
  sessionId: string | undefined;
  output: OutputFormat | undefined;
  isStream: boolean;
  withUsage: boolean;
}

export const chatMethod: Method = method({
  name: 'chat.completions',
  scope: 'write',
  talk: true,
  summary: 'A chat completion, in OpenAI’s protocol.',
  input,
  output: z.unknown(),
  http: { verb: 'post', path: '/chat/completions', root: '/v1', streams: 'asked', takesKey: true },
  perform: async (_call, given) => readChat(given),
});

function readChat(given: z.output<typeof input>): ChatRequest {
  const { model, messages, stream, stream_options, response_format: asked, n, modalities, logprobs } = given;
  refuseGiven(given, ['audio', 'function_call', 'functions', 'moderation', 'stop', 'web_search_options']);
  if (n != null && n !== 1) throw invalidRequest('an agent gives one answer: "n" must be 1', 'n');
  if (logprobs) throw invalidRequest('an agent has no "logprobs"', 'logprobs');
  if (modalities?.some((one) => one !== 'text'))
    throw invalidRequest('an agent answers in text', 'modalities');
  const sessionId = sessionOf(given);
  return {
    model,
    ...conversationOf(turnsOf(messages), sessionId !== undefined),
    clientTools: chatTools(given),
    sessionId,
    output: outputOf(
      asked?.type === 'json_schema' ? { type: 'json_schema', schema: asked.json_schema.schema } : asked,
    ),
    isStream: stream === true,
    withUsage: stream_options?.include_usage === true,
  };
}

/** The session of a client's choice; without one, each request has a session of its own. */
function sessionOf({ user, safety_identifier, metadata }: SessionFields): string | undefined {
  return metadata?.session ?? user ?? safety_identifier ?? undefined;
}

function turnsOf(messages: readonly z.output<typeof message>[]): Turn[] {
  const names = new Map<string, string>();
  return messages.map(({ role, content, refusal, tool_calls, tool_call_id }): Turn => {
    const { text, files } = readContent(content);
    if (role === 'system' || role === 'developer') return { role: 'instructions', text, files };
    if (role === 'tool') {
      const id = tool_call_id ?? '';
      return { role: 'result', text, files, of: names.get(id) ?? id, callId: id };
    }
    if (role === 'user') return { role, text, files };
    const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => {
      names.set(id, name);
      return `(calls ${name} with ${args})`;
    });
    const lines = [text, refusal ?? '', ...calls].filter((line) => line !== '');
    return { role, text: lines.join('\n'), files, calls: (tool_calls ?? []).map(({ id }) => id) };
  });
}
