import OpenAI, { AzureOpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import { createModelDirectory } from '../../src/models/directory.ts';
import type { ProviderConfig } from '../../src/models/provider-config.ts';
import type { ModelDelta } from '../../src/protocol/content.ts';
import type { ChatModel, ModelRequest } from '../../src/protocol/ports/chat-model.ts';
import { completed, created, message, streamed } from './openai/responses/support.ts';
import { callChunks, chunk, done, event } from './openai/support.ts';
import { serve, stream } from './support/loopback.ts';

/** One call by a provider called `mine`. @param told is called with each piece */
async function ask(
  provider: ProviderConfig,
  request: Partial<ModelRequest> = {},
  signal = new AbortController().signal,
  told?: () => void,
) {
  const directory = createModelDirectory({ providers: { mine: provider }, env: {} });
  const { chat, model } = await directory.resolve('mine/a-model', null);
  const deltas: ModelDelta[] = [];
  const answer = await chat.generate(
    { model, messages: [{ role: 'user', text: 'Hello' }], tools: [], ...request },
    {
      signal,
      idempotencyKey: 'run:1',
      onDelta(delta) {
        deltas.push(delta);
        told?.();
      },
    },
  );
  return { answer, deltas };
}

const call = { index: 0, id: 'c1', function: { name: 'look', arguments: '{"at":1}' } };
const words = [chunk({ content: 'Hel' }), chunk({ content: 'lo' })];
const end = [chunk({}, { finish: 'stop', usage: { prompt_tokens: 3, completion_tokens: 2 } }), done];

describe('a client of the openai package', () => {
  it('streams chat completions into our own reader', async () => {
    const { baseURL, requests } = await serve((response) => stream(response, [...words, ...end]));
    const { answer, deltas } = await ask({ client: new OpenAI({ baseURL, apiKey: 'sk-theirs' }) });
    expect(answer).toMatchObject({
      text: 'Hello',
      finish: 'stop',
      usage: { inputTokens: 3, outputTokens: 2 },
      error: null,
    });
    expect(deltas).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
    ]);
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer sk-theirs',
      'idempotency-key': 'run:1',
    });
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ model: 'a-model', stream: true });
  });

  it('hands over calls of tools, and an answer in one piece', async () => {
    const { baseURL } = await serve((response, { body }) => {
      if (JSON.parse(body).stream)
        return stream(response, [callChunks(call), chunk({}, { finish: 'tool_calls' }), done]);
      const choice = { index: 0, message: { content: 'Whole' }, finish_reason: 'stop' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ model: 'real', choices: [choice] }));
    });
    const client = new OpenAI({ baseURL, apiKey: 'k' });
    expect((await ask({ client })).answer.toolCalls).toEqual([
      { id: 'c1', name: 'look', arguments: '{"at":1}' },
    ]);
    expect((await ask({ client }, { stream: false })).answer).toMatchObject({ text: 'Whole', error: null });
  });

  it('speaks the Responses API where the provider says so', async () => {
    const { baseURL, requests } = await serve((response) =>
      stream(response, [
        created,
        streamed(0, message('Hi there'), 'Hi ', 'there'),
        completed([message('Hi there')]),
      ]),
    );
    const { answer } = await ask({ api: 'responses', client: new OpenAI({ baseURL, apiKey: 'k' }) });
    expect(answer).toMatchObject({ text: 'Hi there', finish: 'stop', error: null });
    expect(requests[0]?.url).toBe('/v1/responses');
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ store: false });
  });

  it('may be that of Azure, whose addresses are its own', async () => {
    const { baseURL, requests } = await serve((response) => stream(response, [...words, ...end]));
    const endpoint = baseURL.replace('/v1', '');
    const client = new AzureOpenAI({
      endpoint,
      apiKey: 'azure',
      apiVersion: '2026-01-01',
      deployment: 'mine',
    });
    expect((await ask({ client })).answer).toMatchObject({ text: 'Hello', error: null });
    expect(requests[0]?.url).toBe('/openai/deployments/mine/chat/completions?api-version=2026-01-01');
    expect(requests[0]?.headers['api-key']).toBe('azure');
  });

  it('is seen by a library that has wrapped it', async () => {
    const { baseURL } = await serve((response) => stream(response, [...words, ...end]));
    const client = new OpenAI({ baseURL, apiKey: 'k' });
    const create = client.chat.completions.create.bind(client.chat.completions);
    const seen: unknown[] = [];
    const completions = {
      create: (body: object, options?: object) => {
        seen.push(body);
        return create(body as Parameters<typeof create>[0], options);
      },
    };
    const watched = { baseURL, chat: { completions }, responses: client.responses };
    expect((await ask({ client: watched })).answer.text).toBe('Hello');
    expect(seen).toMatchObject([{ model: 'a-model', messages: [{ role: 'user', content: 'Hello' }] }]);
  });

  it.each([
    [401, {}, { kind: 'auth', retryable: false }],
    [429, { 'retry-after': '7' }, { kind: 'rate_limit', retryable: true, retryAfterMs: 7_000 }],
    [503, {}, { kind: 'overloaded', retryable: true }],
  ])('has its refusal %i read as ours, and makes no retries', async (status, headers, error) => {
    const { baseURL, requests } = await serve((response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ error: { message: 'no, sk-theirs', type: 'x' } }));
    });
    const { answer } = await ask({ client: new OpenAI({ baseURL, apiKey: 'sk-theirs' }) });
    expect(answer.error).toMatchObject({ ...error, status });
    expect(answer.error?.message).not.toContain('sk-theirs');
    expect(requests).toHaveLength(1);
  });

  it('keeps what had come before the server reported an error', async () => {
    const report = { error: { message: 'The engine is overloaded.', type: 'overloaded_error' } };
    const { baseURL } = await serve((response) => stream(response, [words[0] ?? '', event(report)]));
    const { answer } = await ask({ client: new OpenAI({ baseURL, apiKey: 'k' }) });
    expect(answer).toMatchObject({ text: 'Hel', error: { kind: 'overloaded' } });
  });

  it('is cut off when its stream ends without an end', async () => {
    const { baseURL } = await serve((response) => stream(response, words));
    const { answer } = await ask({ client: new OpenAI({ baseURL, apiKey: 'k' }) });
    expect(answer).toMatchObject({ text: 'Hello', finishReason: null, error: { kind: 'network' } });
  });

  it('stops with the run, and when the server is silent', async () => {
    const { baseURL } = await serve(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(words[0]);
    });
    const client = new OpenAI({ baseURL, apiKey: 'k' });
    const stop = new AbortController();
    const stopped = await ask({ client }, {}, stop.signal, () => stop.abort());
    expect(stopped.answer).toMatchObject({ text: 'Hel', error: { kind: 'aborted' } });
    const silent = await ask({ client, stallTimeoutMs: 400 });
    expect(silent.answer).toMatchObject({ text: 'Hel', error: { kind: 'timeout' } });
  });

  it('needs no key of ours, and no wire but its own', async () => {
    const client = new OpenAI({ baseURL: 'http://127.0.0.1:9/v1', apiKey: 'k' });
    const directory = createModelDirectory({ providers: { openai: { client } }, env: {} });
    expect((await directory.resolve('openai/gpt-5-mini', null)).price).toBeNull();
    const messages = createModelDirectory({ providers: { mine: { client, api: 'messages' } }, env: {} });
    await expect(messages.resolve('mine/m', null)).rejects.toThrow(/speaks "chat" or "responses"/);
  });
});

describe('a fetch of the program', () => {
  it.each(['chat', 'responses', 'messages'] as const)('sends the requests of the %s wire', async (api) => {
    const seen: string[] = [];
    const provider: ProviderConfig = {
      baseUrl: 'https://models.example/v1',
      api,
      fetch: (url, init) => {
        seen.push(`${init.method} ${url} ${JSON.parse(String(init.body)).model}`);
        return Promise.resolve(Response.json({ error: { message: 'not today' } }, { status: 400 }));
      },
    };
    const { answer } = await ask(provider);
    expect(answer.error).toMatchObject({ kind: 'bad_request', status: 400 });
    const path = { chat: 'chat/completions', responses: 'responses', messages: 'messages' }[api];
    expect(seen[0]).toBe(`POST https://models.example/v1/${path} a-model`);
  });

  it('streams', async () => {
    const { baseURL } = await serve((response) => stream(response, [...words, ...end]));
    const { answer, deltas } = await ask({ baseUrl: baseURL, fetch: (url, init) => fetch(url, init) });
    expect(answer).toMatchObject({ text: 'Hello', error: null });
    expect(deltas).toHaveLength(2);
  });

  it.each([
    [
      'throws',
      () => Promise.reject(new TypeError('fetch failed', { cause: new Error('no route') })),
      'network',
    ],
    [
      'never answers',
      (stop: AbortController) => {
        setImmediate(() => stop.abort());
        return new Promise<Response>(() => {});
      },
      'aborted',
    ],
  ])('that %s fails the call', async (_, broken, kind) => {
    const stop = new AbortController();
    const provider = { baseUrl: 'https://models.example/v1', fetch: () => broken(stop) };
    expect((await ask(provider, {}, stop.signal)).answer.error).toMatchObject({ kind });
  });
});

describe('the answers that the server keeps', () => {
  it.each([
    [{}, false],
    [{ store: true }, true],
  ])('are kept only if the provider says so: %j', async (setting, store) => {
    const { baseURL, requests } = await serve((response) => stream(response, [created, completed()]));
    await ask({ baseUrl: baseURL, api: 'responses', ...setting });
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ store });
  });
});

describe('a ChatModel of the program', () => {
  it.each<[Pick<ChatModel, 'contextWindow' | 'maxOutputTokens'>, object]>([
    [{}, { contextWindow: 128_000, maxOutputTokens: 8_192 }],
    [{ contextWindow: 10_000 }, { contextWindow: 10_000, maxOutputTokens: 2_500 }],
    [
      { contextWindow: 10_000, maxOutputTokens: 500 },
      { contextWindow: 10_000, maxOutputTokens: 500 },
    ],
  ])('may state its window: %j', async (limits, expected) => {
    const generate = () => Promise.reject(new Error('not called'));
    const directory = createModelDirectory({ providers: { mine: { ...limits, generate } }, env: {} });
    expect(await directory.resolve('mine/m', null)).toMatchObject({
      ...expected,
      sendMaxOutputTokens: false,
    });
  });
});
