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
