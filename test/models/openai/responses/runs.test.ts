import { describe, expect, it } from 'vitest';
import { createResponsesModel } from '../../../../src/models/openai/responses/responses.ts';
import { tool, withModel } from '../../../support/detent.ts';
import { type KeepingServer, keepResponses } from './keeping-server.ts';
import { functionCall, message, reasoning } from './support.ts';

const secret = 'sk-very-secret-value';

/** Two questions in one session: the first takes two calls of a tool, the second none. */
async function talk(threading: boolean): Promise<KeepingServer> {
  const thought = reasoning({ encrypted_content: 'gAAA' });
  const server = await keepResponses([
    [
      thought,
      functionCall('call_1', 'weather', '{"place":"Rome"}'),
      functionCall('call_2', 'weather', '{"place":"Oslo"}'),
    ],
    [message('Rome is warmer.')],
    [message('You are welcome.')],
  ]);
  const detent = withModel(createResponsesModel({ baseURL: server.baseURL, apiKey: 'k', threading }), {
    tools: { define: [tool('weather', { run: () => `12 degrees, says ${secret}` })] },
    env: { WEATHER_API_KEY: secret },
  });
  for (const words of ['Where is it warmer?', 'Thanks.']) {
    const view = await detent.run(words, { sessionId: 's' }).result;
    expect(view).toMatchObject({ outcome: 'completed' });
  }
  return server;
}

const typesOf = (body: Record<string, unknown>) => (body.input as { type: string }[]).map(({ type }) => type);

describe('runs on the Responses wire', () => {
  it('follow one thread over the calls of tools and the turns of a session', async () => {
    const { bodies } = await talk(true);
    expect(bodies.map((body) => body.previous_response_id)).toEqual([undefined, 'resp_1', 'resp_2']);
    expect(bodies.map(typesOf)).toEqual([
      ['message'],
      ['function_call_output', 'function_call_output'],
      ['message'],
    ]);
    expect(JSON.stringify(bodies[1]).match(/12 degrees/g)).toHaveLength(2);
    expect(JSON.stringify(bodies)).not.toContain(secret);
  });

  it('send everything, reasoning too, where nothing is kept', async () => {
    const { bodies } = await talk(false);
    const turn = [
      'message',
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ];
    expect(bodies.map(typesOf)).toEqual([['message'], turn, [...turn, 'message', 'message']]);
    expect(bodies.some((body) => 'previous_response_id' in body)).toBe(false);
  });
});
