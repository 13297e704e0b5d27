import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { count, positive, text } from './values.ts';

export const embeddings = group('A model of vectors, to search by meaning, too.', {
  api: field(z.enum(['openai', 'ollama', 'transformers']), {
    text: '`openai`: a server with `/embeddings`; `ollama`: its own `/api/embed`; `transformers`: a [model that runs here](memory.md#a-model-that-runs-here).',
    default: 'openai',
    example: 'ollama',
  }),
  baseUrl: field(text, {
    text: 'Where the server is.',
    defaultText: 'that of OpenAI, or of a local Ollama',
    example: 'http://127.0.0.1:11434',
  }),
  model: field(text, {
    text: 'A [model of vectors](memory.md#vectors), to search memory by meaning, too; without it by words alone.',
    defaultText: 'none',
    example: 'bge-m3',
  }),
  apiKeyEnv: field(text, {
    text: 'The variable that holds the key.',
    defaultText: "`OPENAI_API_KEY` for OpenAI's own",
    example: 'EMBEDDINGS_API_KEY',
  }),
  dimensions: field(count, {
    text: 'Length of the vectors, if the model can choose.',
    defaultText: "the model's",
    example: 1_024,
  }),
  queryPrefix: field(z.string(), {
    text: 'What the model wants before a question.',
    defaultText: 'none',
    example: 'query: ',
  }),
  documentPrefix: field(z.string(), {
    text: 'What it wants before a text.',
    defaultText: 'none',
    example: 'passage: ',
  }),
  timeoutMs: field(positive, { text: 'For one request.', default: 10_000 }),
  pooling: field(z.enum(['mean', 'cls', 'last_token']), {
    text: "`transformers`: how a text's vector is made of those of its tokens; `mean`, `cls` or `last_token`.",
    default: 'mean',
  }),
  dtype: field(z.enum(['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4']), {
    text: "`transformers`: which of the model's files; `fp32`, `fp16`, `q8`, `int8`, `uint8`, `q4`, `q4f16` or `bnb4`.",
    default: 'fp32',
    example: 'q8',
  }),
  download: field(z.boolean(), {
    text: '`transformers`: whether the model may be fetched from the Hugging Face Hub.',
    default: false,
    example: true,
  }),
});

export const memory = group('What is remembered between conversations; docs/memory.md.', {
  recall: field(z.boolean(), {
    text: 'Whether a run begins with what is [remembered](memory.md) that fits its prompt.',
    default: true,
  }),
  embeddings,
});
