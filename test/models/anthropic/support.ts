import { MessageAnswer } from '../../../src/models/anthropic/message-answer.ts';
import { createMessagesModel } from '../../../src/models/anthropic/messages-model.ts';
import { AnswerBody } from '../../../src/models/wire/answer-body.ts';
import { apiKey, type CallSetting, callModel, type Outcome, origin, readBody } from '../support/generate.ts';

/** One call to a provider at `baseURL`. */
export async function generate(
  baseURL: string,
  {
    request,
    signal,
    onDelta,
    ...options
  }: CallSetting & Partial<Parameters<typeof createMessagesModel>[0]> = {},
): Promise<Outcome> {
  const model = createMessagesModel({ baseURL, apiKey, ...options });
  return callModel(model, { request, signal, onDelta });
}

export function read(pieces: Iterable<Uint8Array | string>, maxChars?: number): Outcome {
  return readBody((onDelta) => {
    const reader = new MessageAnswer(origin, onDelta);
    return new AnswerBody(reader, { origin, kind: 'message', ...(maxChars !== undefined && { maxChars }) });
  }, pieces);
}

/** The bytes of an event. */
export function event(data: { type: string; [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function messageStart(message: Record<string, unknown> = {}): string {
  return event({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'real-model',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 10, output_tokens: 1 },
      ...message,
    },
  });
}

/** A content block with its deltas, from start to stop. */
export function block(index: number, start: Record<string, unknown>, ...deltas: unknown[]): string {
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ].join('');
}

export function textBlock(index: number, ...texts: string[]): string {
  const deltas = texts.map((text) => ({ type: 'text_delta', text }));
  return block(index, { type: 'text', text: '' }, ...deltas);
}

export function callBlock(index: number, id: string, name: string, ...pieces: string[]): string {
  const deltas = pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  return block(index, { type: 'tool_use', id, name, input: {} }, ...deltas);
}

export function messageEnd(reason = 'end_turn', rest: Record<string, unknown> = {}): string {
  const delta = { stop_reason: reason, stop_sequence: null };
  return event({ type: 'message_delta', delta, usage: { output_tokens: 5 }, ...rest }) + messageStop;
}

export const messageStop = event({ type: 'message_stop' });
