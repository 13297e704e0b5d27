import type { MemoryConfig } from '../../protocol/config.ts';
import type { EmbeddingsOptions } from './client.ts';

const openai = 'https://api.openai.com/v1';
const ollama = 'http://127.0.0.1:11434';
const defaultTimeoutMs = 10_000;

/** Where vectors come from, by the configuration; undefined where words alone are searched. */
export function embeddingsOf(
  config: MemoryConfig['embeddings'],
  env: Readonly<Record<string, string | undefined>>,
): EmbeddingsOptions | undefined {
  if (config?.model === undefined) return undefined;
  const { api = 'openai', model, dimensions, timeoutMs = defaultTimeoutMs } = config;
  const baseUrl = config.baseUrl ?? (api === 'ollama' ? ollama : openai);
  const keyVariable = config.apiKeyEnv ?? (baseUrl === openai ? 'OPENAI_API_KEY' : undefined);
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable];
  return {
    api,
    baseUrl,
    model,
    ...(apiKey && { apiKey }),
    ...(keyVariable !== undefined && !apiKey && { missingKey: keyVariable }),
    ...(dimensions !== undefined && { dimensions }),
    queryPrefix: config.queryPrefix ?? '',
    documentPrefix: config.documentPrefix ?? '',
    timeoutMs,
  };
}
