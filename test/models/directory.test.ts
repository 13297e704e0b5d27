import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createModelDirectory } from '../../src/models/directory.ts';
import type { DetentError } from '../../src/protocol/error.ts';
import type { ChatModel, Endpoint, ResolvedModel } from '../../src/protocol/ports/chat-model.ts';
import { fakeClock, scriptedModel } from '../../src/testing/index.ts';
import { answering, mockProvider } from '../support/cli.ts';
import { servedAt } from '../support/listening.ts';

function directory(options: Partial<Parameters<typeof createModelDirectory>[0]> = {}) {
  return createModelDirectory({ providers: {}, env: {}, ...options });
}

function ask({ chat, model }: ResolvedModel, signal = new AbortController().signal) {
  const request = { model, messages: [{ role: 'user' as const, text: 'hi' }], tools: [] };
  return chat.generate(request, { signal, idempotencyKey: 'run:1', onDelta: () => {} });
}

/** The model at an address, as a request names it. */
function at(models: ReturnType<typeof directory>, baseUrl: string) {
  models.nameAddress('any/m', { baseUrl }, { baseUrl });
  return models.resolve('any/m', { baseUrl });
}

/** Says of `count` servers which client each resolution gives. */
async function resolving(models: ReturnType<typeof directory>, ports: readonly number[]) {
  const names: ResolvedModel['chat'][] = [];
  for (const port of ports) names.push((await at(models, `http://127.0.0.1:${port}/v1`)).chat);
  return names;
}

describe('an address in the row of a run', () => {
  const stored = { baseUrl: 'http://127.0.0.1:9/v1' };
  const code = async (models: ReturnType<typeof directory>, name: string, endpoint: Endpoint) =>
    models.resolve(name, endpoint).then(
      () => null,
      (error: DetentError) => error.code,
    );

  it('does not count until it is named, and then for its own provider alone', async () => {
    const models = directory({ env: { OPENAI_API_KEY: 'k' } });
    expect(await code(models, 'any/m', stored)).toBe('ADDRESS_NOT_NAMED');
    models.nameAddress('any/m', stored, stored);
    expect(await code(models, 'any/m', stored)).toBeNull();
    expect(await code(models, 'any/other', stored)).toBeNull();
    expect(await code(models, 'openai/m', stored)).toBe('ADDRESS_NOT_NAMED');
    expect(await code(models, 'any/m', { ...stored, apiKeyEnv: 'OPENAI_API_KEY' })).toBe('ADDRESS_NOT_NAMED');
    expect(await code(models, 'any/m', { ...stored, api: 'messages' })).toBe('ADDRESS_NOT_NAMED');
  });

  it('counts where the configuration gives the provider the same, and in no other case', async () => {
    const providers = { any: { baseUrl: 'http://127.0.0.1:9/v1/', apiKeyEnv: 'KEY' } };
    const models = directory({ providers, env: { KEY: 'k', OTHER: 'o', OPENAI_API_KEY: 'p' } });
    expect(await code(models, 'any/m', { ...stored, apiKeyEnv: 'KEY', api: 'chat' })).toBeNull();
    for (const other of [
      { apiKeyEnv: 'OTHER' },
      { api: 'responses' },
      { baseUrl: 'http://127.0.0.1:8/v1' },
    ] as const)
      expect(await code(models, 'any/m', other)).toBe('ADDRESS_NOT_NAMED');
    expect(await code(models, 'openai/m', { apiKeyEnv: 'OPENAI_API_KEY' })).toBeNull();
    expect(await code(models, 'openai/m', { apiKeyEnv: 'OTHER' })).toBe('ADDRESS_NOT_NAMED');
  });
});

describe('the address of a preset', () => {
  it.each([
    ['openai/gpt-5-mini', 'OPENAI'],
    ['anthropic/claude-sonnet-4-5', 'ANTHROPIC'],
    ['groq/m', 'GROQ'],
  ])('of %s comes from the environment, as its key does', async (name, prefix) => {
    const asked: string[] = [];
    const server = createServer(({ headers }, response) => {
      asked.push(String(headers['x-api-key'] ?? headers.authorization));
      response.writeHead(400).end('{}');
    });
    const url = `${await servedAt(server)}/v1`;
    const env = { [`${prefix}_API_KEY`]: 'of-the-proxy', [`${prefix}_BASE_URL`]: url };
    await ask(await directory({ env }).resolve(name, null));
    expect(asked).toEqual([expect.stringContaining('of-the-proxy')]);
  });

  it('of the configuration goes first, an empty variable is none, and a wrong one is named', async () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'localhost:1' };
    const providers = { openai: { baseUrl: 'http://127.0.0.1:9/v1' } };
    expect(await directory({ env, providers }).resolve('openai/m', null)).toBeDefined();
    expect(await directory({ env: { ...env, OPENAI_BASE_URL: '' } }).resolve('openai/m', null)).toBeDefined();
    await expect(directory({ env }).resolve('openai/m', null)).rejects.toMatchObject({
      code: 'INVALID_BASE_URL',
      message: expect.stringContaining('OPENAI_BASE_URL'),
    });
  });
});

describe('a model that was asked before', () => {
  const providers = { any: { baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'KEY' } };

  it('is refused from the moment its key is gone', async () => {
    const env: Record<string, string | undefined> = { KEY: 'k' };
    const models = directory({ providers, env });
    expect(await models.resolve('any/m', null)).toEqual(await models.resolve('any/m', null));
    delete env.KEY;
    await expect(models.resolve('any/m', null)).rejects.toMatchObject({ code: 'MISSING_KEY' });
    env.KEY = 'again';
    expect(await models.resolve('any/m', null)).toMatchObject({ model: 'm' });
  });
});

describe('the clients of a directory', () => {
  it('are kept for the next call to the same server', async () => {
    const [a, b, again] = await resolving(directory(), [1, 2, 1]);
    expect(again).toBe(a);
    expect(b).not.toBe(a);
  });

  it('are 32 by default: those last used', async () => {
    const models = directory();
    const all = await resolving(
      models,
      Array.from({ length: 33 }, (_, i) => i + 1),
    );
    const [last, first] = await resolving(models, [33, 1]);
    expect(last).toBe(all[32]);
    expect(first).not.toBe(all[0]);
  });

  it('finish their calls when they are dropped', async () => {
    const provider = await answering({ text: ['slow', ' but', ' whole'], pieceMs: 20 });
    const models = directory({ router: { clients: 1 } });
    const slow = await at(models, provider.baseUrl);
    const answer = ask(slow);
    await provider.arrived(1);
    await resolving(models, [1, 2]);
    expect((await answer).text).toBe('slow but whole');
  });

  it('keep their circuit when they are dropped', async () => {
    const provider = await mockProvider({ sequence: [{ status: 500 }, { status: 500 }, { text: 'well' }] });
    const clock = fakeClock();
    const models = directory({ clock, router: { clients: 1, breaker: { failures: 2, openMs: 1_000 } } });
    const once = async () => ask(await at(models, provider.baseUrl));
    for (let i = 0; i < 2; i++) {
      await once();
      await resolving(models, [1]);
    }
    expect((await once()).error?.code).toBe('MODEL_CIRCUIT_OPEN');
    expect(provider.requests).toHaveLength(2);
    await clock.advance(1_000);
    expect((await once()).text).toBe('well');
  });
});

describe('a model of one’s own', () => {
  it('has a circuit breaker, too', async () => {
    const down = {
      error: { kind: 'server' as const, code: 'MODEL_SERVER', message: 'down', retryable: true },
    };
    const chat = scriptedModel([down, down, { text: 'the sibling' }]);
    const models = directory({ providers: { own: chat }, router: { breaker: { failures: 2 } } });
    for (let i = 0; i < 2; i++) await ask(await models.resolve('own/a', null));
    expect((await ask(await models.resolve('own/a', null))).error?.code).toBe('MODEL_CIRCUIT_OPEN');
    expect((await ask(await models.resolve('own/b', null))).text).toBe('the sibling');
  });

  it('sees to an output schema itself where its class says so', async () => {
    const scripted = scriptedModel([{ text: '1' }]);
    class Own implements ChatModel {
      get nativeOutput() {
        return true as const;
      }
      generate = scripted.generate;
    }
    const { chat, model } = await directory({ providers: { own: new Own() } }).resolve('own/a', null);
    const output = { name: 'n', schema: { type: 'number' } };
    const request = { model, messages: [{ role: 'user' as const, text: 'hi' }], tools: [], output };
    await chat.generate(request, { signal: new AbortController().signal, idempotencyKey: 'k', onDelta() {} });
    expect(scripted.requests[0]).toMatchObject({ output, messages: request.messages });
  });
});

describe('the limits of a provider in the configuration', () => {
  it('hold over real connections until an answer is complete, and all calls are answered', async () => {
    const provider = await mockProvider({
      turns: [{ answers: [{ text: ['a', 'b', 'c'], pieceMs: 5 }] }],
    });
    const models = directory({ providers: { mock: { baseUrl: provider.baseUrl, maxConcurrent: 2 } } });
    let under = 0;
    let most = 0;
    const calls = Array.from({ length: 8 }, async (_, i) => {
      const { chat, model } = await models.resolve('mock/m', null);
      let began = false;
      const { text } = await chat.generate(
        { model, messages: [{ role: 'user', text: `${i}` }], tools: [] },
        {
          signal: new AbortController().signal,
          idempotencyKey: `run:${i}`,
          onDelta() {
            if (began) return;
            began = true;
            most = Math.max(most, ++under);
          },
        },
      );
      under--;
      return text;
    });
    expect(await Promise.all(calls)).toEqual(Array(8).fill('abc'));
    expect(most).toBe(2);
  });
});
