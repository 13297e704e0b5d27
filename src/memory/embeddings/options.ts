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
