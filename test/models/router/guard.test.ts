import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGuard, type ProviderLimits } from '../../../src/models/router/guard.ts';
import { modelError } from '../../../src/models/wire/model-error.ts';
import type { ModelAnswer, ModelErrorKind } from '../../../src/protocol/content.ts';
import type { ChatModel, GenerateOptions, ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { quickClock } from './quick-clock.ts';

const request: ModelRequest = { model: 'm', messages: [{ role: 'user', text: 'hi' }], tools: [] };

function options(signal = new AbortController().signal): GenerateOptions {
  return { signal, idempotencyKey: 'run:1', onDelta: () => {} };
}

function failing(kind: ModelErrorKind): ScriptLine {
  return { error: modelError(kind, kind) };
}

function setup(chat: ChatModel, limits: ProviderLimits = {}, failures = 3) {
  const clock = quickClock();
  const guard = createGuard({ breaker: { failures, openMs: 30_000 }, limits: { p: limits }, clock });
  const model = guard.around(chat, 'p', 'p http://one');
  const call = (over: Partial<ModelRequest> = {}, signal?: AbortSignal) =>
    model.generate({ ...request, ...over }, options(signal));
  return { clock, guard, model, call };
}

/** A model whose calls the test ends. */
function gated() {
  const open: { model: string; end: (answer?: Partial<ModelAnswer>) => void; fail: () => void }[] = [];
  const arrived: string[] = [];
  let most = 0;
  let current = 0;
  const said = scriptedModel(Array.from({ length: 1_000 }, () => ({ text: 'ok' })));
  const chat: ChatModel = {
    async generate(request, call) {
      most = Math.max(most, ++current);
      arrived.push(request.model);
      try {
        const over = await new Promise<Partial<ModelAnswer>>((resolve, reject) => {
          open.push({
            model: request.model,
            end: (answer = {}) => resolve(answer),
            fail: () => reject(new Error('a defect')),
          });
        });
        return { ...(await said.generate(request, call)), ...over };
      } finally {
        current--;
      }
    },
  };
  return { chat, open, arrived, most: () => most };
}

describe('the circuit breaker of a model', () => {
  it('answers at once, without a call, when the model has failed too often', async () => {
    const chat = scriptedModel([failing('server'), failing('overloaded'), failing('timeout')]);
    const { clock, call } = setup(chat);
    for (let i = 0; i < 3; i++) await call();
    await clock.advance(10_000);
    const { error, text } = await call();
    expect(error).toMatchObject({
      kind: 'overloaded',
      code: 'MODEL_CIRCUIT_OPEN',
      retryable: true,
      retryAfterMs: 20_000,
    });
    expect(error?.message).toBe(
      'p/m failed 3 times in a row, so Detent does not call it for another 20 s. Wait, or use another model.',
    );
    expect(text).toBe('');
    expect(chat.requests).toHaveLength(3);
  });

  it('does not block the other models of the provider, nor the same model at another server', async () => {
    const chat = scriptedModel([...Array(3).fill(failing('network')), { text: 'b' }, { text: 'elsewhere' }]);
    const { guard, call } = setup(chat);
    for (let i = 0; i < 3; i++) await call();
    expect((await call({ model: 'sibling' })).text).toBe('b');
    const elsewhere = guard.around(chat, 'p', 'p http://two');
    expect((await elsewhere.generate(request, options())).text).toBe('elsewhere');
  });

  it.each<ModelErrorKind>([
    'rate_limit',
    'auth',
    'permission',
    'not_found',
    'bad_request',
    'context_overflow',
    'aborted',
    'malformed',
  ])('does not count a failure of kind %s', async (kind) => {
    const chat = scriptedModel([...Array(6).fill(failing(kind)), { text: 'ok' }]);
    const { call } = setup(chat);
    for (let i = 0; i < 6; i++) await call();
    expect((await call()).text).toBe('ok');
  });

  it('lets one call try when the time is over, and then all', async () => {
    const { chat, open } = gated();
    const { clock, call } = setup(chat);
    for (let i = 0; i < 3; i++) {
      const answer = call();
      await clock.advance(0);
      open.shift()?.end({ error: modelError('server', 'down') });
      await answer;
    }
    await clock.advance(30_000);
    const trial = call();
    await clock.advance(0);
    expect((await call()).error).toMatchObject({ code: 'MODEL_CIRCUIT_OPEN', retryAfterMs: 5_000 });
    open.shift()?.end();
    expect((await trial).text).toBe('ok');
    const after = call();
    await clock.advance(0);
    open.shift()?.end();
    expect((await after).text).toBe('ok');
  });

  it('frees the place of a trial that threw', async () => {
    const { chat, open } = gated();
    const { clock, call } = setup(chat, {}, 1);
    const ill = call();
    await clock.advance(0);
    open.shift()?.end({ error: modelError('server', 'down') });
    await ill;
    await clock.advance(30_000);
    const broken = call().catch((error: Error) => error.message);
    await clock.advance(0);
    open.shift()?.fail();
    expect(await broken).toBe('a defect');
    const next = call();
    await clock.advance(0);
    open.shift()?.end();
    expect((await next).text).toBe('ok');
  });

  it('opens for calls that wait in line, too', async () => {
    const { chat, open } = gated();
    const { clock, call } = setup(chat, { maxConcurrent: 1 }, 1);
    const first = call();
    const second = call();
    await clock.advance(0);
    open.shift()?.end({ error: modelError('server', 'down') });
    await first;
    expect((await second).error?.code).toBe('MODEL_CIRCUIT_OPEN');
    expect(open).toEqual([]);
  });
});

describe('the limits of a provider', () => {
  it('hold a place until the answer is complete', async () => {
    const { chat, open, most } = gated();
    const { clock, call } = setup(chat, { maxConcurrent: 2 });
    const answers = ['a', 'b', 'c'].map((model) => call({ model }));
    await clock.advance(0);
    expect(open.map(({ model }) => model)).toEqual(['a', 'b']);
    open.shift()?.end();
    await answers[0];
    await clock.advance(0);
    expect(open.map(({ model }) => model)).toEqual(['b', 'c']);
    for (const { end } of open) end();
    await Promise.all(answers);
    expect(most()).toBe(2);
  });

  it('answer a call that is aborted in line, which never reaches the provider', async () => {
    const { chat, open } = gated();
    const { clock, call } = setup(chat, { maxConcurrent: 1 });
    const abort = new AbortController();
    const first = call();
    const second = call({}, abort.signal);
    await clock.advance(0);
    abort.abort();
    expect((await second).error).toMatchObject({ kind: 'aborted', code: 'MODEL_ABORTED', retryable: false });
    open.shift()?.end();
    await first;
    expect(open).toEqual([]);
  });

  it('reserve the prompt and the output limit, and go by the usage once it is counted', async () => {
    const { chat, open } = gated();
    const { clock, call } = setup(chat, { tokensPerMinute: 1_000 });
    const usage = { inputTokens: 50, outputTokens: 50, cachedInputTokens: 0, reasoningTokens: 0 };
    const answers = [1, 2, 3].map(() => call({ maxOutputTokens: 600 }));
    await clock.advance(0);
    expect(open).toHaveLength(1);
    open.shift()?.end({ usage });
    await clock.advance(0);
    expect(open).toHaveLength(1);
    open.shift()?.end({ usage: { ...usage, outputTokens: 900 } });
    await clock.advance(59_999);
    expect(open).toHaveLength(0);
    await clock.advance(1);
    open.shift()?.end();
    await Promise.all(answers);
  });

  it('give back what a call reserved that came to nothing', async () => {
    const { chat, open } = gated();
    const { clock, call } = setup(chat, { tokensPerMinute: 1_000 });
    const answers = [1, 2].map(() => call({ maxOutputTokens: 900 }));
    await clock.advance(0);
    open.shift()?.end({ text: '', usage: null, error: modelError('auth', 'no') });
    await clock.advance(0);
    expect(open).toHaveLength(1);
    open.shift()?.end();
    await Promise.all(answers);
  });

  it('are of one provider: another has its own', async () => {
    const { chat, open } = gated();
    const { clock, guard, call } = setup(chat, { maxConcurrent: 1 });
    const other = guard.around(chat, 'other', 'other http://one');
    const answers = [call(), call(), other.generate({ ...request, model: 'free' }, options())];
    await clock.advance(0);
    expect(open.map(({ model }) => model)).toEqual(['m', 'free']);
    for (let i = 0; i < 3; i++) {
      open.shift()?.end();
      await clock.advance(0);
    }
    await Promise.all(answers);
  });

  const fate = fc.record({
    abort: fc.boolean(),
    /** How a call ends that reaches the provider. */
    end: fc.constantFrom('answer' as const, 'error' as const, 'throw' as const),
    /** When it is aborted or ended, among all the others. */
    order: fc.nat(),
  });

  it('lose no place, whatever aborts, fails and throws, let calls through in order, and never more at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fate, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (fates, maxConcurrent) => {
          const { chat, open, arrived, most } = gated();
          const limits = { maxConcurrent, tokensPerMinute: 20_000 };
          const { clock, call } = setup(chat, limits, 0);
          const calls = fates.map(({ abort: aborts, order }, i) => {
            const abort = new AbortController();
            const ended = call({ model: `${i}` }, abort.signal).catch((error: Error) => error);
            return { i, order, aborts, abort, ended };
          });
          await clock.advance(0);
          for (const { i, aborts, abort } of calls.toSorted((a, b) => a.order - b.order)) {
            if (aborts) abort.abort();
            const at = open.findIndex(({ model }) => model === `${i}`);
            const mine = at < 0 ? undefined : open.splice(at, 1)[0];
            const { end } = fates[i] ?? {};
            if (end === 'throw') mine?.fail();
            else mine?.end(end === 'error' ? { error: modelError('server', 'down') } : {});
            await clock.advance(0);
          }
          // A call that came to the provider only now is answered.
          for (let i = 0; i <= fates.length; i++) {
            for (const { end } of open.splice(0)) end();
            await clock.advance(60_000);
          }
          await Promise.all(calls.map(({ ended }) => ended));
          expect(most()).toBeLessThanOrEqual(maxConcurrent);
          expect(arrived.map(Number)).toEqual(arrived.map(Number).toSorted((a, b) => a - b));
          const later = Array.from({ length: maxConcurrent }, () => call());
          await clock.advance(0);
          expect(open).toHaveLength(maxConcurrent);
          for (const { end } of open) end();
          await Promise.all(later);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('what is guarded', () => {
  it('keeps its price, and throws what it throws', async () => {
    const price = { inputUsd: 1, outputUsd: 2 };
    const { model, call } = setup({
      price,
      generate: async () => {
        throw new TypeError('a defect');
      },
    });
    expect(model.price).toEqual(price);
    await expect(call()).rejects.toThrow('a defect');
  });
});
