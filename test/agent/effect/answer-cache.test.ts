import { describe, expect, it } from 'vitest';
import { questionKey } from '../../../src/agent/effect/answer-cache.ts';
import type { DetentOptions, RunRequest } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { fakeClock, type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { temporaryWorkspace, withModel } from '../../support/detent.ts';

const hourMs = 3_600_000;

/** A Detent that keeps answers for an hour, and a model that says something else each time. */
function keeping(script?: readonly ScriptLine[], options: DetentOptions = {}) {
  const lines = script ?? Array.from({ length: 20 }, (_, i) => ({ text: `answer ${i}` }));
  const model = scriptedModel(lines);
  const clock = fakeClock();
  const detent = withModel(model, {
    clock,
    models: { other: model },
    router: { cache: { ttlMs: hourMs } },
    ...options,
  });
  const ask = async (prompt: string, request?: RunRequest) => (await detent.run(prompt, request).result).text;
  return { model, clock, detent, ask };
}

describe('a kept answer', () => {
  it('is given to the same question', async () => {
    const { model, ask } = keeping();
    expect([await ask('a'), await ask('a'), await ask('a')]).toEqual(Array(3).fill('answer 0'));
    expect(model.requests).toHaveLength(1);
  });

  it.each<[string, string, RunRequest]>([
    ['another question', 'b', {}],
    ['another model', 'a', { model: 'test/other' }],
    ['another provider', 'a', { model: 'other/script' }],
    ['another system prompt', 'a', { system: 'Be brief.' }],
    ['other tools', 'a', { tools: ['calculator'] }],
    ['another tenant', 'a', { principal: { tenantId: 2 } }],
    ['whoever does not want it', 'a', { cache: false }],
  ])('is not given to %s', async (_, prompt, request) => {
    const { detent, ask } = keeping();
    await detent.tenants.create({ name: 'other' });
    await ask('a');
    expect(await ask(prompt, request)).toBe('answer 1');
    expect(await ask('a')).toBe('answer 0');
  });

  it('is not kept for a run that does not want it', async () => {
    const { ask } = keeping();
    expect(await ask('a', { cache: false })).toBe('answer 0');
    expect(await ask('a')).toBe('answer 1');
  });

  it('comes to watchers in one piece', async () => {
    const { detent, ask } = keeping([{ text: 'in pieces' }]);
    await ask('a');
    const run = detent.run('a');
    const told: unknown[] = [];
    for await (const signal of run.events)
      if (signal.type === 'delta') told.push([signal.offset, signal.delta]);
    expect(told).toEqual([[0, { type: 'text', text: 'in pieces' }]]);
  });

  it('is in the ledger, as a call that cost nothing', async () => {
    const { detent, ask } = keeping();
    await ask('a');
    await ask('a');
    const { total } = await detent.usage();
    expect(total).toMatchObject({ calls: 2, cached: 1, inputTokens: 10, outputTokens: 5 });
  });

  it('may call tools: they are executed, and the conversation goes on as it did', async () => {
    const call = { toolCalls: [{ name: 'calculator', arguments: { expression: '17*23' } }] };
    const { model, detent } = keeping([call, { text: 'it is 391' }]);
    for (let i = 0; i < 2; i++) {
      const { steps, text } = await detent.run('What is 17 * 23?').result;
      expect(steps[0]?.toolCalls[0]).toMatchObject({ status: 'done', isError: false });
      expect(text).toBe('it is 391');
    }
    expect(model.requests).toHaveLength(2);
  });

  it('lives for its time, and not longer', async () => {
    const { clock, ask } = keeping();
    await ask('a');
    await clock.advance(hourMs);
    expect(await ask('a')).toBe('answer 0');
    await clock.advance(1);
    expect(await ask('a')).toBe('answer 1');
  });

  it('is gone at the next start of a program that keeps none', async () => {
    const workspace = await temporaryWorkspace();
    const once = async (router: DetentOptions['router'], text: string) => {
      const model = scriptedModel([{ text }]);
      const detent = createDetent({
        env: {},
        workspace,
        model: 'test/m',
        models: { test: model },
        ...(router && { router }),
      });
      const view = await detent.run('a').result;
      await detent.close();
      return view.text;
    };
    const kept = { cache: { ttlMs: hourMs } };
    expect([await once(kept, 'first'), await once(kept, 'second')]).toEqual(['first', 'first']);
    expect(await once(undefined, 'third')).toBe('third');
    expect(await once(kept, 'fourth')).toBe('fourth');
  });
});

describe('what is never kept', () => {
  const secret = 'sk-0123456789abcdef';
  const failure = {
    kind: 'bad_request' as const,
    code: 'MODEL_BAD_REQUEST',
    message: 'no',
    retryable: false,
  };

  it.each<[string, ScriptLine]>([
    ['that failed', { error: failure }],
    ['that broke off', { text: 'half', error: { ...failure, kind: 'network', code: 'MODEL_NETWORK' } }],
    ['that was cut by the limit', { text: 'half', finish: 'length' }],
    ['that was cut by a filter', { text: 'half', finish: 'contentFilter' }],
    ['that is a refusal', { refusal: 'I will not.', finish: 'refusal' }],
    ['that holds a secret', { text: `the key is ${secret}` }],
  ])('is an answer %s', async (_, line) => {
    const { model, ask } = keeping([line, { text: 'whole' }], { env: { SHOP_API_KEY: secret } });
    await ask('a');
    expect(await ask('a')).toBe('whole');
    expect(model.requests).toHaveLength(2);
  });

  it('is an answer of nothing: it is asked for again', async () => {
    const { model, ask } = keeping([{ text: '' }, { text: 'something' }]);
    expect(await ask('a')).toBe('something');
    expect(model.requests).toHaveLength(2);
  });
});

describe('the key of a question', () => {
  const request = { model: 'm', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] };

  it('is the same for a streamed and a whole answer', async () => {
    const key = questionKey('p/m', null, request);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(questionKey('p/m', null, { ...request, stream: false })).toBe(key);
  });

  it('differs by server, protocol and output limit', async () => {
    const keys = await Promise.all([
      questionKey('p/m', null, request),
      questionKey('p/m', { baseUrl: 'http://one' }, request),
      questionKey('p/m', { baseUrl: 'http://two' }, request),
      questionKey('p/m', { api: 'messages' }, request),
      questionKey('p/m', null, { ...request, maxOutputTokens: 10 }),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
