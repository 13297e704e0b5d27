import type { ModelPrice } from '../../protocol/ports.ts';
import { own } from '../../text/wording.ts';
import { presetName, presetOf } from './presets.ts';
import { modelTable, tableDate, tableSource } from './table.ts';

/** The published prices of a provider's models. */
interface PriceList {
  /** The page where the provider publishes them; with the table, where that is from. */
  source: string;
  /** The day on which they were last compared with that page, or the table was made. */
  checked: string;
  /** By the provider's own model id, without the date of a snapshot. */
  models: Readonly<Record<string, ModelPrice>>;
}

/** Dollars for a million tokens of the prompt, of its part that was cached, and of the answer. */
function price(inputUsd: number, cachedInputUsd: number | null, outputUsd: number): ModelPrice {
  return { inputUsd, ...(cachedInputUsd !== null && { cachedInputUsd }), outputUsd };
}

/** Writing to the five-minute cache costs a quarter more than plain prompt tokens. */
const claude = (inputUsd: number, cachedInputUsd: number, outputUsd: number): ModelPrice => ({
  ...price(inputUsd, cachedInputUsd, outputUsd),
  cacheWriteInputUsd: inputUsd * 1.25,
});

/** Prices that the table lacks, mostly of older models, or that differ from the provider's page. */
const corrections: Readonly<Record<string, PriceList>> = {
  openai: {
    source: 'https://developers.openai.com/api/docs/pricing',
    checked: '2026-09-23',
    models: {
      'gpt-5.6': {
        ...price(4, 0.4, 20),
        cacheWriteInputUsd: 5,
        long: { fromTokens: 272_001, inputFactor: 2, outputFactor: 1.5 },
      },
      'gpt-5.1-codex': price(1.25, 0.125, 10),
      'gpt-5.1-codex-mini': price(0.25, 0.025, 2),
      'gpt-5-codex': price(1.25, 0.125, 10),
    },
  },
  anthropic: {
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    checked: '2026-09-23',
    models: {
      'claude-opus-4-1': claude(15, 1.5, 75),
      'claude-opus-4': claude(15, 1.5, 75),
      'claude-sonnet-4-5': {
        ...claude(3, 0.3, 15),
        long: { fromTokens: 200_001, inputFactor: 2, outputFactor: 1.5 },
      },
      'claude-sonnet-4': claude(3, 0.3, 15),
    },
  },
  deepseek: {
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    checked: '2026-11-21',
    // The price at peak hours; other hours cost half.
    models: { 'deepseek-v4-flash': price(0.3, 0.006, 1.2) },
  },
  'moonshot-intl': {
    source: 'https://platform.kimi.ai/docs/pricing/chat',
    checked: '2026-09-23',
    models: {
      'kimi-k2.5': price(0.6, 0.1, 3),
      'moonshot-v1-8k': price(0.2, null, 2),
      'moonshot-v1-32k': price(1, null, 3),
      'moonshot-v1-128k': price(2, null, 5),
    },
  },
  zai: {
    source: 'https://docs.z.ai/guides/overview/pricing',
    checked: '2026-11-21',
    models: { 'glm-5': price(1, 0.2, 3.2), 'glm-4.6': price(0.6, 0.11, 2.2) },
  },
  groq: {
    source: 'https://console.groq.com/docs/models',
    checked: '2026-09-23',
    models: { 'qwen/qwen3-32b': price(0.29, null, 0.59) },
  },
  mistral: {
    source: 'https://mistral.ai/pricing/api',
    checked: '2026-09-23',
    models: { 'mistral-medium-3.5': price(1.5, 0.15, 7.5) },
  },
  xai: {
    source: 'https://docs.x.ai/docs/models',
    checked: '2026-09-23',
    models: {
      'grok-4.20': {
        ...price(1.25, 0.2, 2.5),
        long: { fromTokens: 200_001, inputFactor: 2, outputFactor: 2 },
      },
      'grok-4-0709': price(3, 0.75, 15),
      'grok-4': price(3, 0.75, 15),
      'grok-4-fast-reasoning': price(0.2, 0.05, 0.5),
      'grok-4-fast-non-reasoning': price(0.2, 0.05, 0.5),
      'grok-code-fast-1': price(0.2, 0.02, 1.5),
      'grok-build-0.1': {
        ...price(1, 0.2, 2),
        long: { fromTokens: 200_001, inputFactor: 2, outputFactor: 2 },
      },
    },
  },
};

/**
 * Prices for a million tokens, by preset: those of the table, with our corrections over them. Where a price depends on the hour, this
 * is the higher one. Models that are not here have no known price: those billed in another currency (Moonshot, Zhipu and DashScope on
 * the mainland), in tiers by prompt size (Qwen), or by the provider that a router chooses (OpenRouter).
 */
export const priceLists: Readonly<Record<string, PriceList>> = Object.fromEntries(
  Object.entries(modelTable).map(([provider, rows]) => {
    const own = corrections[provider];
    const listed = Object.entries(rows).flatMap(([id, { price }]) => (price ? [[id, price] as const] : []));
    const source = own ? `${own.source}, by ${tableSource}` : tableSource;
    return [
      provider,
      { source, checked: tableDate, models: { ...Object.fromEntries(listed), ...own?.models } },
    ];
  }),
);

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
  return own(models, model) ?? own(models, model.replace(snapshot, '')) ?? null;
}

function isSameHost(a: string, b: string): boolean {
  return URL.parse(a)?.host === URL.parse(b)?.host;
}
