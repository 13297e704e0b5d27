import { ChatBody, createOpenAIChat } from '../../../src/models/openai/chat.ts';
import { apiKey, type CallSetting, callModel, type Outcome, origin, readBody } from '../support/generate.ts';

/** One call to a provider at `baseURL`. */
export async function generate(
  baseURL: string,
  {
    request,
    signal,
    onDelta,
    ...options
  }: CallSetting & Partial<Parameters<typeof createOpenAIChat>[0]> = {},
): Promise<Outcome> {
  const model = createOpenAIChat({ baseURL, apiKey, ...options });
  return callModel(model, { request, signal, onDelta });
}

export function read(pieces: Iterable<Uint8Array | string>, maxChars?: number): Outcome {
  return readBody(
    (onDelta) => new ChatBody({ origin, onDelta, ...(maxChars !== undefined && { maxChars }) }),
    pieces,
  );
}

/** A chunk of a chat-completions stream, as the bytes of an event. */
export function chunk(
  delta: unknown,
  rest: { finish?: string | null; [field: string]: unknown } = {},
): string {
  const { finish = null, ...fields } = rest;
  return event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'real-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...fields,
  });
}

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const done = 'data: [DONE]\n\n';

/** Chunks with one entry of `tool_calls` each. */
export function callChunks(...entries: unknown[]): string {
  return entries.map((entry) => chunk({ tool_calls: [entry] })).join('');
}
