import type OpenAI from 'openai';

export type Message = OpenAI.ChatCompletionMessageParam;

export const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** A tool of the client, as a chat completion has it. */
export const weather = {
  type: 'function' as const,
  function: { name: 'weather', description: 'now', parameters, strict: true },
};

export const question: Message[] = [{ role: 'user', content: 'What should I wear?' }];

/** An answer of the model that asks for the weather of these cities. */
export function asksFor(...cities: string[]) {
  return { toolCalls: cities.map((city) => ({ name: 'weather', arguments: { city } })) };
}

/** The history after a completion with calls, with a result for each of them. */
export function answered(
  before: readonly Message[],
  completion: OpenAI.ChatCompletion,
  ...results: string[]
): Message[] {
  const message = completion.choices[0]?.message;
  if (!message) throw new Error('no choice');
  return [
    ...before,
    message,
    ...results.map((content, i) => ({
      role: 'tool' as const,
      tool_call_id: message.tool_calls?.[i]?.id ?? '',
      content,
    })),
  ];
}

/** The results that the model was shown with its n-th request. */
export function shownResults(
  { requests }: { requests: readonly { messages: readonly { role: string; text: string }[] }[] },
  n: number,
): string[] | undefined {
  return requests[n]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
}
