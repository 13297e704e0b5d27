import { describe, expect, it } from 'vitest';
import { servedToOpenAi } from './support.ts';
import { weather } from './tools-support.ts';

/** More than what may wait for a reader. */
const long = 'x'.repeat(700_000);
const asked = { model: 'default', messages: [{ role: 'user' as const, content: 'hi' }] };
const calls = { toolCalls: [1, 2].map((n) => ({ name: 'weather', arguments: { city: long, n } })) };

describe('an answer that is longer than what may wait for a reader', () => {
  it('reaches one that reads: words of a completion', async () => {
    const { client } = await servedToOpenAi([{ text: long }]);
    const message = await client.chat.completions.stream(asked).finalMessage();
    expect(message.content).toHaveLength(long.length);
  });

  it('reaches one that reads: calls of a completion', async () => {
    const { client } = await servedToOpenAi([calls]);
    const message = await client.chat.completions.stream({ ...asked, tools: [weather] }).finalMessage();
    const made = message.tool_calls?.map((call) => 'function' in call && call.function.arguments.length);
    expect(made).toEqual([long.length + 17, long.length + 17]);
  });

  it('reaches one that reads: words and calls of a response', async () => {
    const { client } = await servedToOpenAi([{ text: long, ...calls }, { text: long }]);
    const request = { model: 'default', input: 'hi' };
    const tools = [{ type: 'function' as const, ...weather.function }];
    const first = await client.responses.stream({ ...request, tools }).finalResponse();
    expect(first.output.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call']);
    expect(JSON.stringify(first.output).length).toBeGreaterThan(3 * long.length);
    const second = await client.responses.stream(request).finalResponse();
    expect(second.output_text).toHaveLength(long.length);
  });
});
