import type { ModelPrice } from '../../ports/chat-model.ts';
import { presetName, presetOf } from './presets.ts';

/** The published prices of a provider's models. */
export interface PriceList {
  /** The page where the provider publishes them. */
  source: string;
  /** The day on which they were last compared with that page. */
  checked: string;
  /** By the provider's own model id, without the date of a snapshot. */
  models: Readonly<Record<string, ModelPrice>>;
}

/** Dollars for a million tokens of the prompt, of its part that was cached, and of the answer. */
function price(
  inputUsd: number,
  cachedInputUsd: number | null,
  outputUsd: number,
  more: Pick<ModelPrice, 'cacheWriteInputUsd' | 'long'> = {},
): ModelPrice {
  return { inputUsd, ...(cachedInputUsd !== null && { cachedInputUsd }), outputUsd, ...more };
}

/** Writing to the five-minute cache costs a quarter more than plain prompt tokens. */
const claude = (inputUsd: number, cachedInputUsd: number, outputUsd: number, long?: ModelPrice['long']) =>
  price(inputUsd, cachedInputUsd, outputUsd, {
    cacheWriteInputUsd: inputUsd * 1.25,
    ...(long && { long }),
  });

/** Above 272,000 prompt tokens the whole call costs more: twice as much for the prompt, half as much again for the answer. */
const openaiLong = (inputUsd: number, cachedInputUsd: number | null, outputUsd: number, writes = false) =>
  price(inputUsd, cachedInputUsd, outputUsd, {
    ...(writes && { cacheWriteInputUsd: inputUsd * 1.25 }),
    long: { fromTokens: 272_000, inputFactor: 2, outputFactor: 1.5 },
  });

const xaiLong = (inputUsd: number, cachedInputUsd: number, outputUsd: number) =>
  price(inputUsd, cachedInputUsd, outputUsd, {
    long: { fromTokens: 200_000, inputFactor: 2, outputFactor: 2 },
  });

/**
 * Prices for a million tokens, by preset. Where a price depends on the hour, this is the higher one. Models that are not
 * here have no known price: those billed in another currency (Moonshot, Zhipu and DashScope on the mainland), in tiers by
 * prompt size (Qwen), or by the provider that a router chooses (OpenRouter).
 */
export const priceLists: Readonly<Record<string, PriceList>> = {
  openai: {
    source: 'https://developers.openai.com/api/docs/pricing',
    checked: '2026-09-23',
    models: {
      'gpt-5.6': openaiLong(4, 0.4, 20, true),
      'gpt-5.6-sol': openaiLong(4, 0.4, 20, true),
      'gpt-5.6-terra': openaiLong(2, 0.2, 12, true),
      'gpt-5.6-luna': openaiLong(0.2, 0.02, 1.2, true),
      'gpt-5.5': openaiLong(5, 0.5, 30),
      'gpt-5.5-pro': openaiLong(30, null, 180),
      'gpt-5.4': openaiLong(2.5, 0.25, 15),
      'gpt-5.4-mini': price(0.75, 0.075, 4.5),
      'gpt-5.4-nano': price(0.2, 0.02, 1.25),
      'gpt-5.4-pro': openaiLong(30, null, 180),
      'gpt-5.3-codex': price(1.75, 0.175, 14),
      'gpt-5.2': price(1.75, 0.175, 14),
      'gpt-5.2-pro': price(21, null, 168),
      'gpt-5.1': price(1.25, 0.125, 10),
      'gpt-5.1-codex': price(1.25, 0.125, 10),
      'gpt-5.1-codex-mini': price(0.25, 0.025, 2),
      'gpt-5': price(1.25, 0.125, 10),
      'gpt-5-codex': price(1.25, 0.125, 10),
      'gpt-5-mini': price(0.25, 0.025, 2),
      'gpt-5-nano': price(0.05, 0.005, 0.4),
      'gpt-5-pro': price(15, null, 120),
      'gpt-4.1': price(2, 0.5, 8),
      'gpt-4.1-mini': price(0.4, 0.1, 1.6),
      'gpt-4.1-nano': price(0.1, 0.025, 0.4),
      'gpt-4o-2024-05-13': price(5, null, 15),
      'gpt-4o': price(2.5, 1.25, 10),
      'gpt-4o-mini': price(0.15, 0.075, 0.6),
      o1: price(15, 7.5, 60),
      'o1-pro': price(150, null, 600),
      o3: price(2, 0.5, 8),
      'o3-mini': price(1.1, 0.55, 4.4),
      'o3-pro': price(20, null, 80),
      'o4-mini': price(1.1, 0.275, 4.4),
    },
  },
  anthropic: {
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    checked: '2026-09-23',
    models: {
      'claude-fable-5-1': claude(10, 0.25, 50),
      'claude-fable-5': claude(10, 1, 50),
      'claude-opus-5-5': claude(4, 0.2, 20),
      'claude-opus-5': claude(5, 0.5, 25),
      'claude-opus-4-8': claude(5, 0.5, 25),
      'claude-opus-4-7': claude(5, 0.5, 25),
      'claude-opus-4-6': claude(5, 0.5, 25),
      'claude-opus-4-5': claude(5, 0.5, 25),
      'claude-opus-4-1': claude(15, 1.5, 75),
      'claude-opus-4': claude(15, 1.5, 75),
      'claude-sonnet-5': claude(2, 0.2, 10),
      'claude-sonnet-4-6': claude(3, 0.3, 15),
      'claude-sonnet-4-5': claude(3, 0.3, 15, { fromTokens: 200_001, inputFactor: 2, outputFactor: 1.5 }),
      'claude-sonnet-4': claude(3, 0.3, 15),
      'claude-haiku-4-5': claude(1, 0.1, 5),
    },
  },
  deepseek: {
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    checked: '2026-11-21',
    models: {
      // The price at peak hours; other hours cost half.
      'deepseek-flash': price(0.3, 0.006, 1.2),
      'deepseek-v4-flash': price(0.3, 0.006, 1.2),
      'deepseek-v4-pro': price(1.32, 0.044, 3.96),
    },
  },
  'moonshot-intl': {
    source: 'https://platform.kimi.ai/docs/pricing/chat',
    checked: '2026-09-23',
    models: {
      'kimi-k3': price(3, 0.3, 15),
      'kimi-k2.7-code': price(0.95, 0.19, 4),
      'kimi-k2.7-code-highspeed': price(1.9, 0.38, 8),
      'kimi-k2.6': price(0.95, 0.16, 4),
      'kimi-k2.5': price(0.6, 0.1, 3),
      'moonshot-v1-8k': price(0.2, null, 2),
      'moonshot-v1-32k': price(1, null, 3),
      'moonshot-v1-128k': price(2, null, 5),
    },
  },
  zai: {
    source: 'https://docs.z.ai/guides/overview/pricing',
    checked: '2026-11-21',
    models: {
      'glm-5.3': price(1.4, 0.26, 4.4),
      'glm-5.2': price(1.4, 0.26, 4.4),
      'glm-5': price(1, 0.2, 3.2),
      'glm-4.6': price(0.6, 0.11, 2.2),
    },
  },
  groq: {
    source: 'https://console.groq.com/docs/models',
    checked: '2026-09-23',
    models: {
      'openai/gpt-oss-120b': price(0.15, 0.075, 0.6),
      'openai/gpt-oss-20b': price(0.075, 0.0375, 0.3),
      'llama-3.3-70b-versatile': price(0.59, null, 0.79),
      'llama-3.1-8b-instant': price(0.05, null, 0.08),
      'qwen/qwen3-32b': price(0.29, null, 0.59),
    },
  },
  mistral: {
    source: 'https://mistral.ai/pricing/api',
    checked: '2026-09-23',
    models: {
      'mistral-medium-latest': price(1.5, 0.15, 7.5),
      'mistral-medium-3.5': price(1.5, 0.15, 7.5),
      'mistral-medium-2508': price(0.4, 0.04, 2),
      'mistral-large-2512': price(0.5, 0.05, 1.5),
      'mistral-small-2603': price(0.15, 0.015, 0.6),
      'codestral-2508': price(0.3, 0.03, 0.9),
      'devstral-2512': price(0.4, 0.04, 2),
      'ministral-14b-2512': price(0.2, 0.02, 0.2),
      'ministral-8b-2512': price(0.15, 0.015, 0.15),
      'ministral-3b-2512': price(0.1, 0.01, 0.1),
    },
  },
  xai: {
    source: 'https://docs.x.ai/docs/models',
    checked: '2026-09-23',
    models: {
      'grok-4.6': xaiLong(2, 0.5, 6),
      'grok-4.5': xaiLong(2, 0.3, 6),
      'grok-4.3': xaiLong(1.25, 0.2, 2.5),
      'grok-4.20': xaiLong(1.25, 0.2, 2.5),
      'grok-4-0709': price(3, 0.75, 15),
      'grok-4': price(3, 0.75, 15),
      'grok-4-fast-reasoning': price(0.2, 0.05, 0.5),
      'grok-4-fast-non-reasoning': price(0.2, 0.05, 0.5),
      'grok-code-fast-1': price(0.2, 0.02, 1.5),
      'grok-build-0.1': xaiLong(1, 0.2, 2),
    },
  },
};

const nothing: ModelPrice = Object.freeze({ inputUsd: 0, outputUsd: 0 });

/** The date of a snapshot: `gpt-5-mini-2025-08-07`, `claude-sonnet-4-5-20250929`. */
const snapshot = /-(\d{4}-\d{2}-\d{2}|\d{8})$/;

/**
 * The known price of a model. Self-hosted servers (Ollama, vLLM, LM Studio) are free. A price list applies only at its
 * provider's own host, because a proxy sets its own prices.
 *
 * @param baseUrl where the provider answers
 * @param model the provider's own id
 * @returns null when the price is unknown; never a guess
 */
export function priceOf(provider: string, baseUrl: string, model: string): ModelPrice | null {
  const preset = presetOf(provider);
  if (!preset) return null;
  if (preset.isKeyOptional) return nothing;
  const models = priceLists[presetName(provider)]?.models;
  if (!models || !isSameHost(baseUrl, preset.baseUrl)) return null;
  return known(models, model) ?? known(models, model.replace(snapshot, ''));
}

function known(models: PriceList['models'], model: string): ModelPrice | null {
  return Object.hasOwn(models, model) ? (models[model] ?? null) : null;
}

function isSameHost(a: string, b: string): boolean {
  return URL.parse(a)?.host === URL.parse(b)?.host;
}
