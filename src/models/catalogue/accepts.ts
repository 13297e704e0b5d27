import type { Acceptable } from '../../protocol/content.ts';
import { presetName } from './presets.ts';

const all: readonly Acceptable[] = ['image', 'pdf'];
const images: readonly Acceptable[] = ['image'];
const text: readonly Acceptable[] = [];

/**
 * Content types that models take besides text, from the providers' pages, November 2026. First match wins.
 *
 * @see https://platform.openai.com/docs/models
 * @see https://docs.claude.com/en/docs/about-claude/models/overview
 * @see https://api-docs.deepseek.com/quick_start/pricing
 * @see https://platform.moonshot.ai/docs/introduction
 * @see https://www.alibabacloud.com/help/en/model-studio/add-vision-skill
 * @see https://docs.z.ai/guides/overview/overview
 */
const known: readonly (readonly [RegExp, readonly Acceptable[]])[] = [
  [/claude-(2|instant)/, text],
  [/claude-3-(opus|sonnet|haiku)/, images],
  [/claude/, all],
  [
    /gpt-oss|gpt-3\.5|(^|\/)gpt-4(-\d{4})?(-preview)?$|gpt-4-(0613|32k)|(^|\/)o1-(mini|preview)|(^|\/)o3-mini/,
    text,
  ],
  [/gpt-4-(turbo|vision)/, images],
  [/gpt-(4o|4\.1|[5-9])|(^|\/)o[134]/, all],
  [/gemini/, all],
  // Names that say that the model has vision.
  [/(^|[-_/:.])(vl|vision|ocr|omni|llava|pixtral|qvq)([-_/:.]|$)|\d(\.\d)?v([-_:]|$)/, images],
  [/deepseek-(chat|reasoner|coder|r1|v[123]|v4-pro)/, text],
  [/kimi-k2(-|:|$)|moonshot-v1/, text],
  [/kimi-k[23]/, images],
  [/glm-(4|5)(\.\d)?(-|:|$)/, text],
  [/qwen-(plus|max|turbo|long)|qwen(2\.5|3)?-?coder|qwen3(-|:|$)|qwen2\.5(-|:|$)|qwq/, text],
  [/minimax-(text|m[12])/, text],
  [/llama-?3(\.[13])?([-:]|$)|codestral|devstral/, text],
];

/** Providers whose wire takes images and no files. */
const withoutFiles: ReadonlySet<string> = new Set([
  'deepseek',
  'moonshot',
  'moonshot-intl',
  'dashscope',
  'dashscope-intl',
  'zhipu',
  'zai',
  'groq',
  'xai',
  'ollama',
  'vllm',
  'lmstudio',
]);

/**
 * The content types that a model takes. For an unknown model these are all that its provider's wire can carry: the
 * provider answers with an error if the model does not take one.
 */
export function acceptedBy(provider: string, model: string): readonly Acceptable[] {
  const name = model.toLowerCase();
  const own = known.find(([pattern]) => pattern.test(name))?.[1] ?? all;
  return withoutFiles.has(presetName(provider)) ? own.filter((kind) => kind !== 'pdf') : own;
}
