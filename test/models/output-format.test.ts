import { describe, expect, it } from 'vitest';
import { hasStructuredOutputs, outputFormat } from '../../src/models/anthropic/messages-model.ts';
import { messagesRequestBody } from '../../src/models/anthropic/messages-request.ts';
import { presets, quirksOf } from '../../src/models/catalogue/presets.ts';
import { chatRequestBody } from '../../src/models/openai/chat-request.ts';
import { responsesRequestBody } from '../../src/models/openai/responses/responses-request.ts';
import { closedSchema } from '../../src/models/wire/closed-schema.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ModelRequest } from '../../src/protocol/ports/chat-model.ts';
import { requestViolations } from '../support/wire-rules/anthropic-messages.ts';
import { chatCompletionViolations } from '../support/wire-rules/openai-chat.ts';
import { responsesViolations } from '../support/wire-rules/openai-responses.ts';
import * as anthropic from './anthropic/support.ts';
import * as responses from './openai/responses/support.ts';
import { chunk, done, generate } from './openai/support.ts';
import { serve, stream } from './support/loopback.ts';

const text = { type: 'string' };
const schema: JsonObject = { type: 'object', properties: { a: text }, required: ['a'] };
const closed = { ...schema, additionalProperties: false };
const optional: JsonObject = { type: 'object', properties: { a: text, b: text }, required: ['a'] };
const open: JsonObject = {
  type: 'object',
  properties: { a: text },
  required: ['a'],
  additionalProperties: text,
};
const list: JsonObject = { type: 'array', items: text };
const tool = { name: 'look', description: 'd', parameters: { type: 'object', properties: {} } };

function request(given: JsonObject, tools = [] as ModelRequest['tools']): ModelRequest {
  const messages = [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'go' },
  ] as const;
  return { model: 'm', messages, tools, output: { schema: given } };
}

/** Where the schema of a chat-completions request is: in the request's own field, in the prompt, or in both. */
function placesIn(provider: string, given: JsonObject, tools = [] as ModelRequest['tools']) {
  const body = chatRequestBody(request(given, tools), quirksOf('', provider));
  expect(chatCompletionViolations(body, provider === 'mistral' ? 'mistral' : 'openai')).toEqual([]);
  const { type = null } = (body.response_format ?? {}) as { type?: string };
  return [type, JSON.stringify(body.messages).includes('must be JSON that fits')];
}

describe('chat completions', () => {
  it.each([
    ['openai', ['json_schema', false]],
    ['xai', ['json_schema', false]],
    ['mistral', ['json_schema', false]],
    ['groq', ['json_schema', true]],
    ['ollama', ['json_schema', true]],
    ['of-your-own', ['json_schema', true]],
    ['deepseek', ['json_object', true]],
    ['kimi', ['json_object', true]],
    ['qwen', ['json_object', true]],
    ['glm', ['json_object', true]],
  ])('ask %s for a schema in its own way', (provider, places) => {
    expect(placesIn(provider, schema)).toEqual(places);
  });

  it('ask only OpenAI for a schema beside tools; the prompt asks all others', () => {
    for (const provider of [...Object.keys(presets), 'of-your-own'])
      expect([provider, ...placesIn(provider, schema, [tool])]).toEqual(
        provider === 'openai' ? [provider, 'json_schema', false] : [provider, null, true],
      );
  });

  it('ask in the prompt for what is no object', () => {
    expect(placesIn('openai', list)).toEqual([null, true]);
  });

  it.each([
    ['a schema that names all that it wants', schema, { name: 'output', schema: closed, strict: true }],
    ['an optional property', optional, { name: 'output', schema: optional, strict: false }],
    ['an object that is open on purpose', open, { name: 'output', schema: open, strict: false }],
  ])('are strict only where that changes nothing: %s', (_, given, format) => {
    const body = chatRequestBody(request(given), quirksOf('api.openai.com'));
    expect(body.response_format).toEqual({ type: 'json_schema', json_schema: format });
    expect(chatCompletionViolations(body)).toEqual([]);
  });
});

describe('Responses', () => {
  const whole = { store: false, thread: false, include: true, items: true, strict: true, output: true };

  it('has the schema in text.format, and in the prompt where the server may ignore it', () => {
    const own = responsesRequestBody(request(schema, [tool]), whole);
    expect(own.text).toEqual({
      format: { type: 'json_schema', name: 'output', schema: closed, strict: true },
    });
    expect([responsesViolations(own), own.instructions]).toEqual([[], 'Be brief.']);
    const other = responsesRequestBody(request(schema), { ...whole, strict: false });
    expect(other.text).toEqual({ format: { type: 'json_schema', name: 'output', schema, strict: false } });
    expect(other.instructions).toContain('must be JSON that fits');
    const refused = responsesRequestBody(request(schema), { ...whole, output: false });
    expect([refused.text, refused.instructions]).toEqual([undefined, other.instructions]);
  });
});

describe('messages', () => {
  const dialect = { maxTokens: null, promptCaching: true, thinking: null };

  it('has the schema in output_config.format, beside the effort', async () => {
    const given = {
      ...schema,
      properties: { a: { ...text, minLength: 3 }, n: { type: 'number', maximum: 9 } },
    };
    const format = await outputFormat({ schema: given });
    const body = messagesRequestBody({ ...request(given, [tool]), reasoningEffort: 'low' }, dialect, format);
    expect(requestViolations(body)).toEqual([]);
    expect(body.output_config).toEqual({
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: {
          ...closed,
          properties: {
            a: { ...text, description: '{minLength: 3}' },
            n: { type: 'number', description: '{maximum: 9}' },
          },
        },
      },
    });
    expect(JSON.stringify(body.system)).not.toContain('must be JSON');
  });

  it.each([
    ['open on purpose', open],
    ['no object', list],
    ['without a type', { type: 'object', properties: { a: {} } }],
  ])('leaves a schema to the prompt that is %s', async (_, given) => {
    expect(await outputFormat({ schema: given as JsonObject })).toBeNull();
    const body = messagesRequestBody(request(given as JsonObject), dialect);
    expect([requestViolations(body), body.output_config]).toEqual([[], undefined]);
    expect(JSON.stringify(body.system)).toContain('must be JSON that fits');
  });

  it.each([
    ['claude-3-5-sonnet-20241022', false],
    ['claude-opus-4-20250514', false],
    ['claude-sonnet-4-0', false],
    ['claude-opus-4-1-20250805', false],
    ['claude-sonnet-4-5', true],
    ['claude-haiku-4-5-20251001', true],
    ['claude-opus-4-6', true],
    ['glm-5', false],
  ])('knows whether %s has structured outputs', (model, has) => {
    expect(hasStructuredOutputs(model)).toBe(has);
  });
});

describe('a closed schema', () => {
  it.each([
    ['an open list of properties', { type: 'object' }],
    ['patterns of names', { ...schema, patternProperties: { '^x': text } }],
    [
      'an open object inside',
      { ...schema, properties: { a: { type: 'object', additionalProperties: true, properties: {} } } },
    ],
    ['an open object in a definition', { ...schema, $defs: { x: { type: ['object', 'null'] } } }],
  ])('does not exist for %s', (_, given) => {
    expect(closedSchema(given as JsonObject)).toBeNull();
  });

  it('leaves the given one as it is', () => {
    const given = structuredClone(schema);
    expect([closedSchema(given), given]).toEqual([closed, schema]);
  });
});

describe('a server that refuses the format', () => {
  const refusal = (status: number, message: string) => ({
    status,
    body: JSON.stringify({ error: { message } }),
  });
  const answer = [chunk({ content: '{"a":"b"}' }, { finish: 'stop' }), done];

  it.each([
    ['names it', 400, "unknown field 'response_format'"],
    ['does not say why', 422, 'Unprocessable Entity'],
    ['fails over it', 500, 'failed to parse grammar'],
  ])('is asked again without it, and not again for that model, when it %s', async (_, status, message) => {
    const { baseURL, requests } = await serve(async (response, { body }) => {
      const refused = refusal(status, message);
      if (!('response_format' in JSON.parse(body))) return stream(response, answer);
      return response.writeHead(refused.status, { 'content-type': 'application/json' }).end(refused.body);
    });
    const { answer: made } = await generate(baseURL, { request: { output: { schema } } });
    expect([made.error, made.text]).toEqual([null, '{"a":"b"}']);
    const bodies = requests.map(({ body }) => JSON.parse(body) as JsonObject);
    expect(bodies.map((body) => 'response_format' in body)).toEqual([true, false]);
    expect(JSON.stringify(bodies[1]?.messages)).toContain('must be JSON that fits');
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
  });

  it('says what it says when it refuses the request without it, too', async () => {
    const { baseURL, requests } = await serve((response) =>
      response.writeHead(400).end('{"error":{"message":"no such model"}}'),
    );
    const { answer: made } = await generate(baseURL, { request: { output: { schema } } });
    expect([requests.length, made.error?.message]).toEqual([2, expect.stringContaining('no such model')]);
  });

  it('is not asked again when the request had no format', async () => {
    const { baseURL, requests } = await serve((response) => response.writeHead(400).end('{}'));
    await generate(baseURL, { request: {} });
    expect(requests.length).toBe(1);
  });

  it('may speak messages', async () => {
    const { baseURL, requests } = await serve((response, { body }) =>
      'output_config' in JSON.parse(body)
        ? response
            .writeHead(400)
            .end('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}')
        : response.end(
            JSON.stringify({
              type: 'message',
              role: 'assistant',
              model: 'm',
              stop_reason: 'end_turn',
              content: [{ type: 'text', text: '{}' }],
            }),
          ),
    );
    const { answer: made } = await anthropic.generate(baseURL, {
      request: { output: { schema } },
      structuredOutputs: true,
    });
    expect([requests.length, made.error, made.text]).toEqual([2, null, '{}']);
  });

  it('may speak Responses', async () => {
    const { baseURL, requests } = await serve((response, { body }) =>
      'text' in JSON.parse(body)
        ? response.writeHead(400).end('{"error":{"message":"Unsupported parameter"}}')
        : stream(response, [
            responses.created,
            responses.added(0, responses.message('')),
            responses.textDelta(0, '{"a":"b"}'),
            responses.done(0, responses.message('{"a":"b"}')),
            responses.completed([responses.message('{"a":"b"}')]),
          ]),
    );
    const { answer: made } = await responses.generate(baseURL, { request: { output: { schema } } });
    expect([requests.length, made.error, made.text]).toEqual([2, null, '{"a":"b"}']);
  });
});
