import { unknownModel } from './model-name.ts';
import { modelTable } from './table.ts';

/** Of models that the table does not name: maximum tokens of context and of answer, from the providers' pages. First match wins. */
const windows: readonly (readonly [RegExp, contextWindow: number, maxOutput: number])[] = [
  [/gpt-5/, 400_000, 128_000],
  [/gpt-4\.1/, 1_047_576, 32_768],
  [/gpt-4o/, 128_000, 16_384],
  [/(^|\/)o[134]/, 200_000, 100_000],
  [/claude/, 200_000, 64_000],
  [/deepseek-v4/, 1_000_000, 384_000],
  [/deepseek/, 128_000, 8_192],
  [/kimi-k2/, 262_144, 32_768],
  [/moonshot-v1-8k/, 8_192, 2_048],
  [/moonshot-v1-32k/, 32_768, 4_096],
  [/glm-(4\.[67]|5)/, 200_000, 128_000],
  [/mistral-medium/, 256_000, 128_000],
  [/grok-4/, 256_000, 64_000],
];

/** Maximum default for the answer. The models' own maximum would halve some windows for answers of a length that never occurs. */
const maxReserved = 32_768;

const byId = new Map(Object.values(modelTable).flatMap((rows) => Object.entries(rows)));

/** A model's limits: known ones, or a default for unknown models. Its name may say who made it: `openai/gpt-5`. */
export function windowOf(model: string): { contextWindow: number; maxOutputTokens: number } {
  const row = byId.get(model) ?? byId.get(model.slice(model.lastIndexOf('/') + 1));
  const [, contextWindow, maxOutput] = row
    ? [null, row.contextWindow, row.maxOutputTokens]
    : (windows.find(([pattern]) => pattern.test(model)) ?? [
        null,
        unknownModel.contextWindow,
        unknownModel.maxOutputTokens,
      ]);
  return { contextWindow, maxOutputTokens: Math.min(maxOutput, maxReserved) };
}
