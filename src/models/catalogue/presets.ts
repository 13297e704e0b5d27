import type { ModelApi } from '../../protocol/enums.ts';
import { type Quirks, usualQuirks } from './quirks.ts';

/** The address, wire and key variable of a well-known provider. */
interface ProviderPreset {
  baseUrl: string;
  /** Default `chat`. */
  api?: ModelApi;
  /** The variable of its key. A provider and its `-intl` preset share it, although a key works at one of them only. */
  apiKeyEnv: string;
  /** A self-hosted server, which may need no key. */
  isKeyOptional?: true;
  /** The default model when this provider's key is the first one found; null for self-hosted servers. */
  defaultModel: string | null;
  /** Other names that people type; none of them is the name of another preset. */
  aliases?: readonly string[];
  /** Other domains of the same provider. */
  domains?: readonly string[];
  /** Where its chat-completions wire differs from {@link usualQuirks}. */
  quirks?: Partial<Quirks>;
}

const moonshotQuirks: Partial<Quirks> = {
  // https://platform.kimi.ai/docs/api/chat
  maxTokensField: 'max_completion_tokens',
  // 400 "thinking is enabled but reasoning_content is missing in assistant tool call message"; an empty one is taken.
  // https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model
  reasoning: 'always',
  // https://platform.kimi.ai/docs/api/chat
  output: 'object',
};

/** Not all of its models take a schema, and none with thinking: https://www.alibabacloud.com/help/en/model-studio/json-mode */
const dashscopeQuirks: Partial<Quirks> = { output: 'object' };
/** https://docs.z.ai/guides/capabilities/struct-output */
const zhipuQuirks: Partial<Quirks> = { output: 'object' };

/**
 * In the order in which Detent looks for keys. Addresses, variables and model names are those of the providers'
 * documentation in November 2026; docs/providers.md links the pages.
 */
export const presets: Readonly<Record<string, ProviderPreset>> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    apiKeyEnv: 'OPENAI_API_KEY',
    defaultModel: 'gpt-5-mini',
    domains: ['openai.azure.com'],
    quirks: {
      // Reasoning models refuse `max_tokens`: https://platform.openai.com/docs/api-reference/chat/create
      maxTokensField: 'max_completion_tokens',
      // "Expected a string with maximum length 40": https://github.com/agno-agi/agno/issues/5382
      callIds: 'max40',
      // Not a field of its messages: https://platform.openai.com/docs/api-reference/chat/create
      reasoning: 'never',
      // https://platform.openai.com/docs/guides/structured-outputs
      output: 'enforced',
      outputWithTools: true,
    },
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com',
    api: 'messages',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-4-5',
    aliases: ['claude'],
  },
  deepseek: {
    baseUrl: 'https://api.deepseek.com',
    apiKeyEnv: 'DEEPSEEK_API_KEY',
    defaultModel: 'deepseek-v4-flash',
    // 400 without it after a call of a thinking model, ignored elsewhere: https://api-docs.deepseek.com/guides/thinking_mode
    // The JSON mode only: https://api-docs.deepseek.com/guides/json_mode
    quirks: { reasoning: 'always', output: 'object' },
  },
  moonshot: {
    baseUrl: 'https://api.moonshot.cn/v1',
    apiKeyEnv: 'MOONSHOT_API_KEY',
    defaultModel: 'kimi-k2.6',
    aliases: ['kimi'],
    quirks: moonshotQuirks,
  },
  'moonshot-intl': {
    baseUrl: 'https://api.moonshot.ai/v1',
    apiKeyEnv: 'MOONSHOT_API_KEY',
    defaultModel: 'kimi-k2.6',
    aliases: ['kimi-intl', 'moonshotai'],
    quirks: moonshotQuirks,
  },
  dashscope: {
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    apiKeyEnv: 'DASHSCOPE_API_KEY',
    defaultModel: 'qwen-plus',
    aliases: ['qwen', 'alibaba'],
    quirks: dashscopeQuirks,
  },
  'dashscope-intl': {
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    apiKeyEnv: 'DASHSCOPE_API_KEY',
    defaultModel: 'qwen-plus',
    aliases: ['qwen-intl'],
    quirks: dashscopeQuirks,
  },
  zhipu: {
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    apiKeyEnv: 'ZHIPU_API_KEY',
    defaultModel: 'glm-5',
    aliases: ['glm', 'bigmodel', 'zhipuai'],
    quirks: zhipuQuirks,
  },
  zai: {
    baseUrl: 'https://api.z.ai/api/paas/v4',
    apiKeyEnv: 'ZAI_API_KEY',
    defaultModel: 'glm-5',
    aliases: ['z.ai', 'z-ai', 'glm-intl'],
    quirks: zhipuQuirks,
  },
  groq: {
    baseUrl: 'https://api.groq.com/openai/v1',
    apiKeyEnv: 'GROQ_API_KEY',
    defaultModel: 'openai/gpt-oss-120b',
    quirks: {
      // The older name is deprecated: https://console.groq.com/docs/api-reference
      maxTokensField: 'max_completion_tokens',
      // 400 "property 'reasoning_content' is unsupported": https://github.com/janhq/jan/issues/8136
      reasoning: 'never',
    },
  },
  mistral: {
    baseUrl: 'https://api.mistral.ai/v1',
    apiKeyEnv: 'MISTRAL_API_KEY',
    defaultModel: 'mistral-medium-latest',
    quirks: {
      // 422 "Extra inputs are not permitted"; it sends the usage anyway: https://github.com/avante-corp/avante.nvim/issues/2347
      streamUsage: false,
      // 422 for every field that it does not know: https://github.com/charmbracelet/crush/issues/1590
      reasoning: 'never',
      // 400 "must be a-z, A-Z, 0-9, with a length of 9": https://github.com/langchain-ai/langchain/pull/24668
      callIds: 'alphanumeric9',
      // 400 "Unexpected role 'user' after role 'tool'": https://github.com/zed-industries/zed/issues/37021
      turns: 'answered',
      // https://docs.mistral.ai/capabilities/structured-output/custom_structured_output/
      output: 'enforced',
    },
  },
  xai: {
    baseUrl: 'https://api.x.ai/v1',
    apiKeyEnv: 'XAI_API_KEY',
    defaultModel: 'grok-4.3',
    aliases: ['grok'],
    // The older name is deprecated: https://docs.x.ai/docs/api-reference
    // https://docs.x.ai/docs/guides/structured-outputs
    quirks: { maxTokensField: 'max_completion_tokens', output: 'enforced' },
  },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    defaultModel: 'openai/gpt-5-mini',
    // It passes ids to OpenAI unchanged: https://github.com/openclaw/openclaw/pull/875
    quirks: { callIds: 'max40' },
  },
  ollama: {
    baseUrl: 'http://127.0.0.1:11434/v1',
    apiKeyEnv: 'OLLAMA_API_KEY',
    isKeyOptional: true,
    defaultModel: null,
    // 400 "invalid message content type: <nil>": https://github.com/SAIL-Research-Lab/cheetahclaws/pull/72
    quirks: { noText: 'empty' },
  },
  vllm: {
    baseUrl: 'http://127.0.0.1:8000/v1',
    apiKeyEnv: 'VLLM_API_KEY',
    isKeyOptional: true,
    defaultModel: null,
  },
  lmstudio: {
    baseUrl: 'http://127.0.0.1:1234/v1',
    apiKeyEnv: 'LM_API_TOKEN',
    isKeyOptional: true,
    defaultModel: null,
    aliases: ['lm-studio'],
    // "'content' field must be a string": https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/261
    quirks: { noText: 'empty' },
  },
};

const nameByAlias = new Map(
  Object.entries(presets).flatMap(([name, { aliases = [] }]) =>
    aliases.map((alias) => [alias, name] as const),
  ),
);

/** The preset name of an alias; any other word unchanged. */
export function presetName(word: string): string {
  return nameByAlias.get(word) ?? word;
}

/** The preset of this name or alias. */
export function presetOf(word: string): ProviderPreset | undefined {
  const name = presetName(word);
  return Object.hasOwn(presets, name) ? presets[name] : undefined;
}

/**
 * The quirks of a server. The configuration overrides the preset that the host belongs to, or else the preset of the name.
 *
 * @param provider a preset's name, or any word
 */
export function quirksOf(hostname: string, provider = '', configured: Partial<Quirks> = {}): Quirks {
  const atHost = Object.values(presets).find((preset) => !preset.isKeyOptional && isAt(hostname, preset));
  return { ...usualQuirks, ...(atHost ?? presetOf(provider))?.quirks, ...configured };
}

/** Whether a host is the preset's own, or is in one of its domains. */
function isAt(hostname: string, { baseUrl, domains = [] }: ProviderPreset): boolean {
  const own = new URL(baseUrl).hostname.split('.').slice(-2).join('.');
  return [own, ...domains].some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}

/** The model of the first provider whose key is set; the demo when there is none. */
export function defaultModel(env: Readonly<Record<string, string | undefined>>): string {
  for (const [name, { apiKeyEnv, defaultModel }] of Object.entries(presets))
    if (env[apiKeyEnv] && defaultModel) return `${name}/${defaultModel}`;
  return 'demo/demo';
}
