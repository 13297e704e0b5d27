import * as z from 'zod/mini';
import { defaults } from '../enums.ts';
import { field, group } from './field.ts';
import { count, positive, text } from './values.ts';

const embeddings = group('An embedding model, to search memory by meaning too.', {
  api: field(z.enum(['openai', 'ollama', 'transformers']), {
    text: '`openai`: a server with `/embeddings`; `ollama`: a server with `/api/embed`; `transformers`: a [model in this process](memory.md#a-model-that-runs-here).',
    default: defaults.embeddings.api,
    example: 'ollama',
  }),
  baseUrl: field(text, {
    text: 'The base URL of the server.',
    defaultText: 'the one of OpenAI, or of a local Ollama',
    example: 'http://127.0.0.1:11434',
  }),
  model: field(text, {
    text: 'The [embedding model](memory.md#vectors), to search memory by meaning too. Without it, memory is searched by words alone.',
    defaultText: 'none',
    example: 'bge-m3',
  }),
  apiKeyEnv: field(text, {
    text: 'The environment variable that holds the API key.',
    defaultText: "`OPENAI_API_KEY` for OpenAI's own server",
    example: 'EMBEDDINGS_API_KEY',
  }),
  dimensions: field(count, {
    text: 'Length of the vectors, if the model offers several.',
    defaultText: "the model's",
    example: 1_024,
  }),
  queryPrefix: field(z.string(), {
    text: 'Prefix that the model expects before a query.',
    defaultText: 'none',
    example: 'query: ',
  }),
  documentPrefix: field(z.string(), {
    text: 'Prefix that the model expects before a text.',
    defaultText: 'none',
    example: 'passage: ',
  }),
  timeoutMs: field(positive, { text: 'Timeout of one request.', default: defaults.embeddings.timeoutMs }),
  pooling: field(z.enum(['mean', 'cls', 'last_token']), {
    text: '`transformers`: how the vectors of the tokens are pooled into one; `mean`, `cls` or `last_token`.',
    default: defaults.embeddings.pooling,
  }),
  dtype: field(z.enum(['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4']), {
    text: '`transformers`: the precision of the model file; `fp32`, `fp16`, `q8`, `int8`, `uint8`, `q4`, `q4f16` or `bnb4`.',
    default: defaults.embeddings.dtype,
    example: 'q8',
  }),
  download: field(z.boolean(), {
    text: '`transformers`: whether the model may be downloaded from the Hugging Face Hub.',
    default: defaults.embeddings.download,
    example: true,
  }),
});

export const memory = group('Memory between conversations; see docs/memory.md.', {
  recall: field(z.boolean(), {
    text: 'Whether Detent puts [memory](memory.md) that fits the prompt before a run.',
    default: true,
  }),
  embeddings,
});
