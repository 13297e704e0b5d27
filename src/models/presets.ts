import type { ModelApi } from '../agent/chat-model.ts';

/** Where well-known providers answer, over which wire, and which variable holds their key (null: none needed). */
export interface ProviderPreset {
  baseUrl: string;
  /** Default `chat`. */
  api?: ModelApi;
  apiKeyEnv: string | null;
  /** What is used when this provider's key is the first one found. */
  defaultModel: string | null;
}

/** In the order in which keys are looked for. */
export const presets: Readonly<Record<string, ProviderPreset>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY', defaultModel: 'gpt-5-mini' },
  anthropic: {
    baseUrl: 'https://api.anthropic.com',
    api: 'messages',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-4-5',
  },
  deepseek: {
    baseUrl: 'https://api.deepseek.com',
    apiKeyEnv: 'DEEPSEEK_API_KEY',
    defaultModel: 'deepseek-chat',
  },
  moonshot: {
    baseUrl: 'https://api.moonshot.cn/v1',
    apiKeyEnv: 'MOONSHOT_API_KEY',
    defaultModel: 'kimi-k2-0905-preview',
  },
  dashscope: {
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    apiKeyEnv: 'DASHSCOPE_API_KEY',
    defaultModel: 'qwen-plus',
  },
  zhipu: {
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    apiKeyEnv: 'ZHIPU_API_KEY',
    defaultModel: 'glm-4.6',
  },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    defaultModel: 'openai/gpt-5-mini',
  },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1', apiKeyEnv: null, defaultModel: null },
};

/** The model of the first provider whose key is set; the demo when there is none. */
export function defaultModel(env: Readonly<Record<string, string | undefined>>): string {
  for (const [name, { apiKeyEnv, defaultModel }] of Object.entries(presets))
    if (apiKeyEnv && env[apiKeyEnv] && defaultModel) return `${name}/${defaultModel}`;
  return 'demo/demo';
}
