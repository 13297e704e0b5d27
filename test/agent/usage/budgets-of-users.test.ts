import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Detent, DetentOptions } from '../../../src/index.ts';
import { validateConfig } from '../../../src/runtime/config/validate-config.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { scripted, temporaryWorkspace } from '../../support/detent.ts';

const sentence = 'That was a lot for one day. Come back tomorrow.';
const budgets = { strangers: { maxTokens: 1_000, per: 'day', each: 'user', sentence } } as const;
const shop = { budgets, agents: { default: { budget: 'strangers' } } } satisfies DetentOptions;
const as = (userId: string, rest = {}) => ({ principal: { userId }, ...rest });
const says = (tokens: number, text = 'Hello.'): ScriptLine => ({ text, usage: { inputTokens: tokens } });

describe('a budget for each user', () => {
  it('answers a user who is over it with the sentence, and no model is called', async () => {
    const { detent, model } = await scripted([says(1_000), says(10)], shop);
    await detent.run('Hi.', as('guest:1')).result;
    for (const sessionId of ['a', 'b']) {
      const over = await detent.run('More.', as('guest:1', { sessionId })).result;
      expect(over).toMatchObject({ status: 'done', outcome: 'completed', text: sentence, error: null });
    }
    expect(model.requests).toHaveLength(1);
    expect(await detent.run('Hi.', as('bob')).result).toMatchObject({ text: 'Hello.' });
    const lines = await Array.fromAsync(detent.sessions.export('b'));
    expect(lines.join('\n')).toContain(sentence);
  });

  it.each([
    [
      'the language that the host names',
      { principal: { userId: 'a', claims: { language: 'zh-Hans-CN' } } },
      'More.',
      '明天见。',
    ],
    ['what the user writes', as('a'), '再来一件', '明天见。'],
    ['a language that there is, else', as('a'), 'もっと', 'Tomorrow.'],
  ])('speaks to the user in %s', async (_, whose, words, expected) => {
    const inLanguages = {
      strangers: { ...budgets.strangers, sentence: { en: 'Tomorrow.', zh: '明天见。' } },
    };
    const { detent } = await scripted([says(1_000)], { ...shop, budgets: inLanguages });
    await detent.run('Hi.', as('a')).result;
    expect(await detent.run(words, whose).result).toMatchObject({ text: expected });
  });

  it('lets two processes that spend at once exceed it by no more than one call each', async () => {
    const workspace = await temporaryWorkspace();
    const models: ReturnType<typeof scriptedModel>[] = [];
    const open = () => {
      const model = scriptedModel(Array.from({ length: 40 }, () => says(300)));
      models.push(model);
      const options = { ...shop, workspace, env: {}, model: 'test/script', models: { test: model } };
      const detent = createDetent(options);
      onTestFinished(() => detent.close());
      return detent;
    };
    const processes = [open(), open()];
    await Promise.all(
      processes.flatMap((detent, n) =>
        [1, 2, 3, 4, 5].map((i) => detent.run('Hi.', as('ann', { sessionId: `${n} ${i}` })).result),
      ),
    );
    const [{ users = [] } = {}] = await (processes[0] as Detent).budgets.list();
    expect(users[0]?.tokens.spent).toBeGreaterThanOrEqual(600);
    expect(users[0]?.tokens.spent).toBeLessThanOrEqual(1_000 + 2 * 320);
    expect(models.reduce((sum, { requests }) => sum + requests.length, 0)).toBeLessThanOrEqual(5);
  });

  it('says to operators whose account is used up, and how much of it', async () => {
    const { detent } = await scripted([says(1_000)], shop);
    await detent.run('Hi.', as('ann')).result;
    const { runId } = await detent.run('More.', as('ann')).result;
    const why = await detent.runs.why(runId);
    expect(why.cause).toBe('shared_budget');
    expect(why.summary).toMatch(/budget "strangers" of user "ann" is used up: 100\d of 1000 tokens/);
    expect(await detent.budgets.list()).toMatchObject([
      {
        name: 'strangers',
        tokens: { limit: null },
        users: [{ userId: 'ann', tokens: { limit: 1_000, left: 0 } }],
      },
    ]);
  });

  it('starts anew with the day (UTC)', async () => {
    let now = Date.UTC(2026, 0, 31, 23, 59);
    const clock = { now: () => now, wakeAt: () => () => {}, hold: () => () => {} };
    const { detent, model } = await scripted([says(1_000), says(1)], { ...shop, clock } as DetentOptions);
    await detent.run('Hi.', as('ann')).result;
    expect(await detent.run('Hi.', as('ann')).result).toMatchObject({ text: sentence });
    now += 60_000;
    expect(await detent.run('Hi.', as('ann')).result).toMatchObject({ text: 'Hello.' });
    expect(model.requests).toHaveLength(2);
  });

  it('bounds all users together, too', async () => {
    const all = { strangers: { ...budgets.strangers, all: { maxTokens: 1_500 } } };
    const { detent, model } = await scripted([says(800), says(800)], { ...shop, budgets: all });
    await detent.run('Hi.', as('guest:1')).result;
    await detent.run('Hi.', as('guest:2')).result;
    expect(await detent.run('Hi.', as('guest:3')).result).toMatchObject({ text: sentence });
    expect(model.requests).toHaveLength(2);
    const [budget] = await detent.budgets.list();
    expect(budget?.tokens).toMatchObject({ limit: 1_500, left: 0 });
    expect(budget?.users).toHaveLength(3);
  });

  it('holds for many runs at once: at most one call more than fits', async () => {
    const { detent, model } = await scripted(
      Array.from({ length: 20 }, () => says(300)),
      shop,
    );
    const runs = await Promise.all(Array.from({ length: 20 }, () => detent.run('Hi.', as('ann')).result));
    expect(model.requests).toHaveLength(4);
    expect(runs.filter(({ text }) => text === sentence)).toHaveLength(16);
  });

  it('holds for tasks, and for what follows them', async () => {
    const task: ScriptLine = { toolCalls: [{ name: 'task', arguments: { prompt: 'Look.' } }] };
    const { detent, model } = await scripted([task, says(2_000)], shop);
    expect(await detent.run('Hi.', as('ann', { tools: ['task'] })).result).toMatchObject({ text: sentence });
    expect(model.requests).toHaveLength(2);
  });

  it('fails a run whose answer has a form: a sentence does not fit', async () => {
    const { detent } = await scripted([says(1_000)], shop);
    await detent.run('Hi.', as('ann')).result;
    const output = { type: 'object', properties: { n: { type: 'number' } } };
    expect(await detent.run('Hi.', as('ann', { output })).result).toMatchObject({
      status: 'failed',
      error: { code: 'BUDGET_EXHAUSTED' },
    });
  });

  it('counts the prompt of a call that its user cancels', async () => {
    const waits: ScriptLine = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { detent, model } = await scripted([waits], shop);
    const run = detent.run('word '.repeat(2_000), as('ann'));
    await vi.waitUntil(() => model.requests.length === 1);
    await run.cancel();
    await run.result;
    expect(await detent.run('More.', as('ann')).result).toMatchObject({ text: sentence });
  });

  it('refuses what it cannot count: a model without a price, where the maximum is money', async () => {
    const money = { strangers: { maxCostUsd: 1, each: 'user' } } as const;
    const { detent, model } = await scripted([], { ...shop, budgets: money });
    await expect(detent.run('Hi.', as('ann')).result).rejects.toMatchObject({ code: 'PRICE_MISSING' });
    expect(model.requests).toHaveLength(0);
  });

  it('takes a sentence and a maximum of all only where it counts for each user', () => {
    for (const own of [{ sentence }, { all: { maxTokens: 5 } }])
      expect(() => validateConfig({ budgets: { team: { maxTokens: 1, ...own } } }, 'the file')).toThrow(
        /budgets\.team/,
      );
    expect(() => validateConfig(shop, 'the file')).not.toThrow();
  });
});
