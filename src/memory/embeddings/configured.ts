import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { MemoryConfig } from '../../protocol/config.ts';
import { defaults } from '../../protocol/enums.ts';
import { own } from '../../text/wording.ts';
import type { EmbeddingsOptions } from './embeddings-options.ts';

const openai = 'https://api.openai.com/v1';
const ollama = 'http://127.0.0.1:11434';

/**
 * The embedding options of the configuration; undefined for a search by words only.
 *
 * @param workspace the base of a relative path of a model's folder.
 */
export function embeddingsOf(
  config: MemoryConfig['embeddings'],
  env: Readonly<Record<string, string | undefined>>,
  workspace = '.',
): EmbeddingsOptions | undefined {
  if (config?.model === undefined) return undefined;
  const {
    api = defaults.embeddings.api,
    model,
    dimensions,
    timeoutMs = defaults.embeddings.timeoutMs,
  } = config;
  const common = {
    model,
    ...(dimensions !== undefined && { dimensions }),
    queryPrefix: config.queryPrefix ?? '',
    documentPrefix: config.documentPrefix ?? '',
    timeoutMs,
  };
  if (api === 'transformers') {
    const {
      pooling = defaults.embeddings.pooling,
      dtype = defaults.embeddings.dtype,
      download: isDownloading = defaults.embeddings.download,
    } = config;
    return { ...common, api, folder: folderOf(model, workspace), pooling, dtype, isDownloading };
  }
  const baseUrl = config.baseUrl ?? (api === 'ollama' ? ollama : openai);
  const keyVariable = config.apiKeyEnv ?? (baseUrl === openai ? 'OPENAI_API_KEY' : undefined);
  const apiKey = keyVariable === undefined ? undefined : own(env, keyVariable);
  return {
    ...common,
    api,
    baseUrl,
    ...(apiKey && { apiKey }),
    ...(keyVariable !== undefined && !apiKey && { missingKey: keyVariable }),
  };
}

/** The folder if the name begins like a path: `./models/e5`, `~/models/e5`, `/models/e5`. Else it is a name on the Hub. */
function folderOf(model: string, workspace: string): string | null {
  if (/^~[\\/]/.test(model)) return join(homedir(), model.slice(2));
  return isAbsolute(model) || /^\.{1,2}(?:[\\/]|$)/.test(model) ? resolve(workspace, model) : null;
}
