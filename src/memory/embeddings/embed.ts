import type { EmbeddingsOptions } from './embeddings-options.ts';
import { askServer } from './server.ts';
import { embedHere } from './transformers.ts';

/** The input of common models ends at some 8,000 tokens; a chunk is of 400. */
const maxChars = 8_000;

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
  const input = texts.map((text) => `${prefix}${text}`.slice(0, maxChars));
  return options.api === 'transformers'
    ? embedHere(options, kind, input, signal)
    : askServer(options, kind, input, signal);
}

/** Texts per request. Servers are faster with many; with a local model a small batch loses little when the process dies. */
export function batchOf({ api }: EmbeddingsOptions): number {
  return api === 'transformers' ? 8 : 64;
}
