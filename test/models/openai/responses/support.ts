import { ResponseAnswer } from '../../../../src/models/openai/responses/response-answer.ts';
import { createResponsesModel } from '../../../../src/models/openai/responses/responses.ts';
import { AnswerBody } from '../../../../src/models/wire/answer-body.ts';
import type { ModelAnswer } from '../../../../src/protocol/content.ts';
import type { PromptMessage } from '../../../../src/protocol/ports/chat-model.ts';
import {
  apiKey,
  type CallSetting,
  callModel,
  type Outcome,
  origin,
  readBody,
} from '../../support/generate.ts';

export const hello: PromptMessage[] = [{ role: 'user', text: 'Hello' }];

/** One call to a provider at `baseURL`. */
export async function generate(
  baseURL: string,
  {
    request,
    signal,
    onDelta,
    ...options
  }: CallSetting & Partial<Parameters<typeof createResponsesModel>[0]> = {},
): Promise<Outcome> {
  const model = createResponsesModel({ baseURL, apiKey, ...options });
  return callModel(model, { request, signal, onDelta });
}

export function read(pieces: Iterable<Uint8Array | string>, maxChars?: number): Outcome {
  return readBody((onDelta) => {
    const reader = new ResponseAnswer(origin, onDelta, {
      model: 'a-model',
      messages: hello,
      threading: true,
    });
    return new AnswerBody(reader, { origin, kind: 'response', ...(maxChars !== undefined && { maxChars }) });
  }, pieces);
}

type Fields = Record<string, unknown>;

/** The bytes of an event, named in both places as OpenAI does. */
export function event(type: string, fields: Fields = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export function response(fields: Fields = {}): Fields {
  return {
    id: 'resp_1',
    object: 'response',
    status: 'in_progress',
    model: 'real-model',
    output: [],
    usage: null,
    ...fields,
  };
}

export const created = event('response.created', { response: response() });

/** The last event. */
export function completed(output: unknown[] = [], fields: Fields = {}): string {
  return event('response.completed', { response: response({ status: 'completed', output, ...fields }) });
}

export function added(index: number, item: Fields): string {
  return event('response.output_item.added', { output_index: index, item });
}

export function done(index: number, item: Fields): string {
  return event('response.output_item.done', { output_index: index, item });
}

export function textDelta(index: number, delta: string, fields: Fields = {}): string {
  return event('response.output_text.delta', { output_index: index, content_index: 0, delta, ...fields });
}

export function argumentsDelta(index: number, delta: string, fields: Fields = {}): string {
  return event('response.function_call_arguments.delta', { output_index: index, delta, ...fields });
}

export function message(text: string, fields: Fields = {}): Fields {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
    ...fields,
  };
}

export function functionCall(callId: string, name: string, args: string, fields: Fields = {}): Fields {
  return {
    id: `fc_${callId}`,
    type: 'function_call',
    call_id: callId,
    name,
    arguments: args,
    status: 'completed',
    ...fields,
  };
}

export function reasoning(fields: Fields = {}): Fields {
  return { id: 'rs_1', type: 'reasoning', summary: [], ...fields };
}

/** An item from start to end, with its text or arguments in these pieces. */
export function streamed(index: number, item: Fields, ...pieces: string[]): string {
  const isCall = item.type === 'function_call';
  const start = isCall ? { ...item, arguments: '' } : { ...item, content: [] };
  return [
    added(index, start),
    ...pieces.map((piece) => (isCall ? argumentsDelta(index, piece) : textDelta(index, piece))),
    done(index, item),
  ].join('');
}

/** An answer as the conversation has it in the next prompt. */
export function asMessage({ text, refusal, reasoning, toolCalls, providerData }: ModelAnswer): PromptMessage {
  return {
    role: 'assistant',
    text: text || refusal,
    reasoning,
    toolCalls,
    ...(providerData && { providerData }),
  };
}
