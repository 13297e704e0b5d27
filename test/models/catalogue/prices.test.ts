import { describe, expect, it } from 'vitest';
import { presets } from '../../../src/models/catalogue/presets.ts';
import { priceLists, priceOf } from '../../../src/models/catalogue/prices.ts';
import { modelTable } from '../../../src/models/catalogue/table.ts';
import { windowOf } from '../../../src/models/catalogue/windows.ts';
import { createModelDirectory } from '../../../src/models/directory.ts';

const at = (provider: string) => presets[provider]?.baseUrl ?? '';
const usd = (inputUsd: number, cachedInputUsd: number, outputUsd: number) => ({
  inputUsd,
  cachedInputUsd,
  outputUsd,
});

describe('the price of a model', () => {
  it('is that of its provider, also under another name and of a dated snapshot', () => {
    expect(priceOf('openai', at('openai'), 'gpt-5-mini')).toEqual(usd(0.25, 0.025, 2));
    expect(priceOf('openai', at('openai'), 'gpt-5-mini-2025-08-07')).toEqual(usd(0.25, 0.025, 2));
    expect(priceOf('claude', at('anthropic'), 'claude-haiku-4-5-20251001')).toEqual({
      ...usd(1, 0.1, 5),
      cacheWriteInputUsd: 1.25,
    });
    expect(priceOf('kimi-intl', at('moonshot-intl'), 'kimi-k2.6')).toEqual(usd(0.95, 0.16, 4));
  });

  it('is that of the table, and a correction of ours goes before it', () => {
    expect(priceOf('anthropic', at('anthropic'), 'claude-fable-5')).toEqual(
      modelTable.anthropic?.['claude-fable-5']?.price,
    );
    expect(modelTable.mistral?.['mistral-medium-3.5']?.price).toEqual({ inputUsd: 1.5, outputUsd: 7.5 });
    expect(priceOf('mistral', at('mistral'), 'mistral-medium-3.5')).toEqual(usd(1.5, 0.15, 7.5));
  });

  it('is no negative number, and no price of nothing', () => {
    for (const rows of Object.values(modelTable))
      for (const [id, { price, contextWindow, maxOutputTokens }] of Object.entries(rows)) {
        if (price)
          expect(Math.min(price.inputUsd + price.outputUsd, price.inputUsd + 1), id).toBeGreaterThan(0);
        expect(Math.min(contextWindow, maxOutputTokens), id).toBeGreaterThan(0);
      }
  });

  it('is not guessed: not of a model that is like another, and not of one in another currency', () => {
    expect(priceOf('openai', at('openai'), 'gpt-5-mini-turbo')).toBeNull();
    expect(priceOf('openai', at('openai'), 'gpt-5-mini-2025-08-07-2025-08-08')).toBeNull();
    expect(priceOf('openai', at('openai'), 'toString')).toBeNull();
    expect(priceOf('moonshot', at('moonshot'), 'kimi-k2.6')).toBeNull();
    expect(priceOf('openrouter', at('openrouter'), 'openai/gpt-5-mini')).toBeNull();
    expect(priceOf('nobody', 'http://127.0.0.1:9/v1', 'gpt-5-mini')).toBeNull();
  });

  it('is not known where something else answers in the name of the provider', () => {
    expect(priceOf('openai', 'http://127.0.0.1:9/v1', 'gpt-5-mini')).toBeNull();
    expect(priceOf('openai', 'https://api.openai.com.example/v1', 'gpt-5-mini')).toBeNull();
    expect(priceOf('openai', 'https://api.openai.com/v2', 'gpt-5-mini')).not.toBeNull();
  });

  it.each(['ollama', 'vllm', 'lmstudio'])('is nothing on a server of one’s own: %s', (provider) => {
    const free = { inputUsd: 0, outputUsd: 0 };
    expect(priceOf(provider, at(provider), 'anything')).toEqual(free);
    expect(priceOf(provider, 'http://10.0.0.7:8000/v1', 'anything')).toEqual(free);
  });

  it.each(Object.keys(priceLists))('has a dated source, and the usual model of %s', (provider) => {
    const list = priceLists[provider];
    expect(list?.source).toMatch(/^https:\/\/\S+, by @earendil-works\/pi-ai [\d.]+$/);
    expect(Date.parse(list?.checked ?? '')).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(priceOf(provider, at(provider), presets[provider]?.defaultModel ?? '')).not.toBeNull();
  });
});

describe('the window of a model', () => {
  it.each([
    ['claude-opus-5', 1_000_000, 32_768],
    ['anthropic/claude-opus-5', 1_000_000, 32_768],
    ['gpt-5-mini-of-tomorrow', 400_000, 32_768],
    ['moonshot-v1-8k', 8_192, 2_048],
    ['unheard-of', 128_000, 8_192],
  ])('%s', (model, contextWindow, maxOutputTokens) => {
    expect(windowOf(model)).toEqual({ contextWindow, maxOutputTokens });
  });
});

describe('a model that is resolved', () => {
  const env = { OPENAI_API_KEY: 'sk-test' };
  const resolve = (providers: Parameters<typeof createModelDirectory>[0]['providers']) =>
    createModelDirectory({ providers, env }).resolve('openai/gpt-5-mini', null);

  it('has the price of the list, until the configuration gives one', async () => {
    expect((await resolve({})).price).toEqual(usd(0.25, 0.025, 2));
    const price = { inputUsd: 7, outputUsd: 8 };
    expect((await resolve({ openai: { models: { 'gpt-5-mini': { price } } } })).price).toEqual(price);
    expect((await resolve({ openai: { models: { '*': { price } } } })).price).toEqual(price);
  });

  it('has none where a proxy answers', async () => {
    expect((await resolve({ openai: { baseUrl: 'https://proxy.example/v1' } })).price).toBeNull();
  });
});
