import { describe, expect, it } from 'vitest';
import { costOf } from '../../../src/agent/usage/model-cost.ts';

const price = { inputUsd: 2, outputUsd: 10 };
const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cachedInputTokens: 0,
  reasoningTokens: 50_000,
};

describe('what a call costs', () => {
  it('counts prompt and answer, whose tokens of reasoning are part of it', () => {
    expect(costOf(usage, price)).toBe(3);
  });

  it('counts tokens from a cache and into one by their own prices, or as others without those', () => {
    const cached = { ...usage, cachedInputTokens: 400_000, cacheWriteInputTokens: 200_000 };
    expect(costOf(cached, price)).toBe(3);
    expect(costOf(cached, { ...price, cachedInputUsd: 0.5, cacheWriteInputUsd: 4 })).toBeCloseTo(
      0.4 * 2 + 0.4 * 0.5 + 0.2 * 4 + 1,
    );
  });

  it('is dearer as a whole from so many tokens of prompt on', () => {
    const long = { fromTokens: 1_000_000, inputFactor: 2, outputFactor: 1.5 };
    expect(costOf(usage, { ...price, long })).toBe(5.5);
    expect(costOf({ ...usage, inputTokens: 999_999 }, { ...price, long })).toBeCloseTo(3, 4);
  });

  it('is never less than nothing, whatever a provider counts', () => {
    expect(costOf({ ...usage, cachedInputTokens: 2_000_000, outputTokens: 0 }, price)).toBeGreaterThan(0);
  });
});
