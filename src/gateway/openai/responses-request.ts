import * as z from 'zod/mini';
import { type Method, method } from '../methods/method.ts';
import { type ClientTools, responseTools, toolFields } from './client-tools.ts';
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
  sessionFields,
} from './request-fields.ts';

const id = z.string().check(z.minLength(1), z.maxLength(200));

type Parts = z.output<typeof content>;

const item = z.union([
  z.looseObject({
    type: z.optional(z.literal('message')),
    role: z.enum(['system', 'developer', 'user', 'assistant']),
    content,
  }),
  z.looseObject({
    type: z.literal('function_call'),
    call_id: id,
    name: z.string().check(z.maxLength(200)),
    arguments: z.string(),
  }),
  z.looseObject({ type: z.literal('function_call_output'), call_id: id, output: content }),
  z.looseObject({ type: z.literal('reasoning') }),
]);

const format = z.union([
  z.looseObject({ type: z.enum(['text', 'json_object']) }),
  z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.json()) }),
]);

const input = z.strictObject({
  model: z.string().check(z.minLength(1), z.maxLength(200)),
  input: z.union([z.string(), z.array(item).check(z.maxLength(10_000))]),
  instructions: z.nullish(z.string()),
  previous_response_id: z.nullish(id),
  conversation: z.nullish(z.union([id, z.looseObject({ id })])),
  background: z.nullish(z.boolean()),
  stream: z.nullish(z.boolean()),
  text: z.nullish(z.looseObject({ format: z.nullish(format) })),
  ...sessionFields,
  ...ignoredFields,
  ...ignored(['include', 'max_output_tokens', 'max_tool_calls', 'reasoning', 'stream_options', 'truncation']),
  context_management: z.optional(z.unknown()),
  moderation: z.optional(z.unknown()),
  prompt: z.optional(z.unknown()),
  ...toolFields,
});

/** A request for a response, as a run answers it. */
export interface ResponsesRequest extends Conversation {
  model: string;
  clientTools: ClientTools;
  /** The run whose session continues. */
  previous: string | undefined;
  sessionId: string | undefined;
  output: OutputFormat | undefined;
  isStream: boolean;
  isBackground: boolean;
  metadata: Record<string, string>;
}

export const responsesMethod: Method = method({
  name: 'responses.create',
  scope: 'write',
  talk: true,
  summary: 'A response, in OpenAI’s protocol.',
  input,
  output: z.unknown(),
  http: { verb: 'post', path: '/responses', root: '/v1', streams: 'asked', takesKey: true },
  perform: async (_call, given) => readResponses(given),
});

function readResponses(given: z.output<typeof input>): ResponsesRequest {
  const { model, previous_response_id, conversation, stream, background, text, metadata, user } = given;
  refuseGiven(given, ['context_management', 'moderation', 'prompt']);
  const previous = previous_response_id ?? undefined;
  if (previous !== undefined && conversation != null)
    throw invalidRequest(
      'a response follows "previous_response_id" or a "conversation", not both',
      'conversation',
    );
  if (stream && background)
    throw invalidRequest('a response in the background is read later, not streamed', 'background');
  const named = typeof conversation === 'string' ? conversation : conversation?.id;
  const sessionId =
    previous === undefined
      ? (named ?? metadata?.session ?? user ?? given.safety_identifier ?? undefined)
      : undefined;
  return {
    model,
    ...conversationOf(turnsOf(given), previous !== undefined || sessionId !== undefined),
    clientTools: responseTools(given),
    previous,
    sessionId,
    output: outputOf(text?.format as Parameters<typeof outputOf>[0]),
    isStream: stream === true,
    isBackground: background === true,
    metadata: metadata ?? {},
  };
}

function turnsOf({ input: given, instructions }: z.output<typeof input>): Turn[] {
  const names = new Map<string, string>();
  const items = typeof given === 'string' ? [{ role: 'user' as const, content: given }] : given;
  const turns = items.flatMap((one): Turn[] => {
    if ('role' in one && one.role !== undefined) {
      const { role, content: said } = one as { role: string; content: Parts };
      const isSpoken = role === 'user' || role === 'assistant';
      return [{ role: isSpoken ? role : 'instructions', ...readContent(said) }];
    }
    if (one.type === 'function_call') {
      const { call_id, name, arguments: args } = one as { call_id: string; name: string; arguments: string };
      names.set(call_id, name);
      return [{ role: 'assistant', text: `(calls ${name} with ${args})`, files: [], calls: [call_id] }];
    }
    if (one.type !== 'function_call_output') return [];
    const { call_id, output } = one as { call_id: string; output: Parts };
    return [{ role: 'result', ...readContent(output), of: names.get(call_id) ?? call_id, callId: call_id }];
  });
  return instructions ? [{ role: 'instructions', text: instructions, files: [] }, ...turns] : turns;
}
