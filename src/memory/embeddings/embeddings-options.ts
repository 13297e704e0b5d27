interface ModelOptions {
  model: string;
  /** Length of the vectors, for models that support several. */
  dimensions?: number;
  /** Prefixes that some models need before a query, and before a text. */
  queryPrefix: string;
  documentPrefix: string;
  /** Timeout of one request; with a local model of one query. */
  timeoutMs: number;
}

/** A server that makes vectors. */
export interface EmbeddingServerOptions extends ModelOptions {
  /** `openai`: any server with its `/embeddings`; `ollama`: its own `/api/embed`. */
  api: 'openai' | 'ollama';
  baseUrl: string;
  /** Left out for servers without keys. */
  apiKey?: string;
  /** The environment variable that should hold the key, if it is not set. */
  missingKey?: string;
}

/** A model that runs in this process, by transformers.js. */
export interface LocalModelOptions extends ModelOptions {
  api: 'transformers';
  /** Absolute path of the folder with its files; null: `model` is its name on the Hugging Face Hub. */
  folder: string | null;
  /** Whether missing files may be downloaded from the Hub. */
  isDownloading: boolean;
  /** How the vectors of the tokens become one. */
  pooling: 'mean' | 'cls' | 'last_token';
  /** The number type, which selects one of the model's files. */
  dtype: string;
}

/** The embedding model. */
export type EmbeddingsOptions = EmbeddingServerOptions | LocalModelOptions;
