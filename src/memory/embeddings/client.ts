import { askServer } from './server.ts';
import { embedHere } from './transformers.ts';

interface ModelOptions {
  model: string;
  /** How long vectors are to be, for models that can choose. */
  dimensions?: number;
  /** What some models want before a question, and before a text. */
  queryPrefix: string;
  documentPrefix: string;
  /** For one request; here for one question. */
  timeoutMs: number;
}

/** A server that makes vectors. */
export interface EmbeddingServerOptions extends ModelOptions {
  /** `openai`: any server with its `/embeddings`; `ollama`: its own `/api/embed`. */
  api: 'openai' | 'ollama';
  baseUrl: string;
  /** Left out where the server wants none. */
  apiKey?: string;
  /** The variable that should hold it, and does not. */
  missingKey?: string;
}

/** A model that runs in this process, by transformers.js. */
export interface LocalModelOptions extends ModelOptions {
  api: 'transformers';
  /** Absolute path of the folder with its files; null: `model` is its name on the Hugging Face Hub. */
  folder: string | null;
  /** Whether what is not on this machine may be fetched from the Hub. */
  isDownloading: boolean;
  /** How one vector is made of those of the tokens. */
  pooling: 'mean' | 'cls' | 'last_token';
  /** Of its numbers; names one of several files of the model. */
  dtype: string;
}

/** Where vectors come from. */
export type EmbeddingsOptions = EmbeddingServerOptions | LocalModelOptions;

/** The input of common models ends at some 8,000 tokens; a chunk is of 400. */
const mostChars = 8_000;

/**
 * Vectors of texts, each of length 1, in the order of the texts.
 *
 * @throws DetentError `EMBEDDINGS_FAILED` (no server, a refusal, an answer that is none, a model that does not run),
 * `EMBEDDINGS_PACKAGE_MISSING`, `EMBEDDINGS_MODEL_MISSING`.
 */
export function embed(
  options: EmbeddingsOptions,
  kind: 'query' | 'document',
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const prefix = kind === 'query' ? options.queryPrefix : options.documentPrefix;
  const input = texts.map((text) => `${prefix}${text}`.slice(0, mostChars));
  return options.api === 'transformers'
    ? embedHere(options, kind, input, signal)
    : askServer(options, kind, input, signal);
}

/** How many texts are asked for at once. A server likes many; of what runs here little is to be lost with the process. */
export function batchOf({ api }: EmbeddingsOptions): number {
  return api === 'transformers' ? 8 : 64;
}
