import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createDetent, defineTool } from '../../src/index.ts';
import type { ModelApi } from '../../src/protocol/enums.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import * as responses from '../models/openai/responses/support.ts';
import { chunk, done } from '../models/openai/support.ts';
import { serve, stream } from '../models/support/loopback.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { requestViolations } from '../support/wire-rules/anthropic-messages.ts';
import { chatCompletionViolations } from '../support/wire-rules/openai-chat.ts';
import { responsesViolations } from '../support/wire-rules/openai-responses.ts';

const output = z.strictObject({ city: z.string(), celsius: z.number() });
const oslo = '{"city":"Oslo","celsius":12}';

/** How the servers of the wires say a text, and what they refuse a request for. */
const wires: Readonly<
  Record<
    ModelApi,
    { say(response: ServerResponse, text: string): unknown; rules(body: JsonObject): string[] }
  >
> = {
  chat: {
    say: (response, text) => stream(response, [chunk({ content: text }, { finish: 'stop' }), done]),
    rules: (body) => chatCompletionViolations(body),
  },
  responses: {
    say: (response, text) =>
      stream(response, [
        responses.created,
        responses.added(0, responses.message('')),
        responses.textDelta(0, text),
        responses.done(0, responses.message(text)),
        responses.completed([responses.message(text)]),
      ]),
    rules: (body) => responsesViolations(body),
  },
  messages: {
    say: (response, text) =>
      response.end(
        JSON.stringify({
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          stop_reason: 'end_turn',
          content: [{ type: 'text', text }],
          usage: { input_tokens: 9, output_tokens: 9 },
        }),
      ),
    rules: (body) => requestViolations(body),
  },
};

const look = defineTool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({}),
  sideEffect: 'readonly',
  run: () => 'rain',
});

describe.each(['chat', 'responses', 'messages'] as const)('over the wire of %s', (api) => {
  const { say, rules } = wires[api];

  it.each([
    ['without tools', []],
    ['beside tools', [look]],
  ])('a run %s gets its output, and mends it, with requests that the wire allows', async (_, define) => {
    const texts = ['It is warm.', oslo];
    const { baseURL, requests } = await serve((response) => say(response, texts.shift() ?? ''));
    const detent = createDetent({
      workspace: await temporaryWorkspace(),
      store: 'in-process',
      env: {},
      model: 'local/m',
      models: { local: { baseUrl: api === 'messages' ? baseURL.replace(/\/v1$/, '') : baseURL, api } },
      tools: { define, allowed: define.map(({ name }) => name) },
    });
    const view = await detent.run('Weather in Oslo?', { output }).result;
    await detent.close();
    expect(view).toMatchObject({ outcome: 'completed', output: { city: 'Oslo', celsius: 12 } });
    const bodies = requests.map(({ body }) => JSON.parse(body) as JsonObject);
    expect(bodies.map(rules)).toEqual([[], []]);
    expect(JSON.stringify(bodies[1])).toContain('does not fit the output schema');
    // A server that is not known may ignore a schema, so the prompt has it, too.
    for (const body of bodies) expect(JSON.stringify(body)).toContain('must be JSON that fits');
  });
});
