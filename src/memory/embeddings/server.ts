import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import type { EmbeddingServerOptions } from './embeddings-options.ts';
import { noVectors, unitVector } from './unit-vector.ts';

const maxTries = 3;
/** If a server asks for a longer wait, the request fails and the next pass retries it. */
const longestWaitMs = 20_000;

/**
 * Vectors of texts, each of length 1, by a server.
 *
 * @see https://platform.openai.com/docs/api-reference/embeddings https://docs.ollama.com/api/embed
 * @throws DetentError `EMBEDDINGS_FAILED`: no server, a refusal, or an answer that is none.
 */
export async function askServer(
  options: EmbeddingServerOptions,
  kind: 'query' | 'document',
  input: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const { model, missingKey } = options;
  if (missingKey !== undefined) throw noVectors(model, `${missingKey} is not set`);
  for (let tries = 1; ; tries++) {
    const answer = await post(options, input, signal);
    if ('vectors' in answer) return answer.vectors;
    if (!answer.isRetryable || tries >= maxTries || answer.waitMs > longestWaitMs || kind === 'query')
      throw noVectors(model, answer.problem);
    await sleep(Math.max(answer.waitMs, 250 * 2 ** tries), undefined, { signal, ref: false });
  }
}

type Answered = { vectors: Float32Array[] } | { problem: string; isRetryable: boolean; waitMs: number };

async function post(
  options: EmbeddingServerOptions,
  input: readonly string[],
  signal: AbortSignal,
): Promise<Answered> {
  const { api, baseUrl, model, apiKey, dimensions, timeoutMs } = options;
  const url = `${baseUrl.replace(/\/+$/, '')}${api === 'ollama' ? '/api/embed' : '/embeddings'}`;
  const asked = { model, input, ...(dimensions !== undefined && { dimensions }) };
  let response: Response;
  let body: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify(api === 'ollama' ? asked : { ...asked, encoding_format: 'base64' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    body = await response.text();
  } catch (error) {
    const why = error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error);
    return { problem: why, isRetryable: !signal.aborted, waitMs: 0 };
  }
  if (!response.ok) {
    const isRetryable = response.status === 429 || response.status >= 500;
    const waitMs = 1_000 * (Number(response.headers.get('retry-after')) || 0);
    return { problem: `HTTP ${response.status}: ${body.slice(0, 200)}`, isRetryable, waitMs };
  }
  try {
    return { vectors: vectorsIn(JSON.parse(body), input.length) };
  } catch (error) {
    return { problem: messageOf(error), isRetryable: false, waitMs: 0 };
  }
}

/** @throws Error when they are not as many as there were texts, not equally long, or not of numbers. */
function vectorsIn(body: unknown, count: number): Float32Array[] {
  if (!isObject(body)) throw new Error('the answer is not an object');
  const { data, embeddings } = body;
  const raw = Array.isArray(embeddings) ? embeddings : Array.isArray(data) ? inOrder(data) : [];
  if (raw.length !== count) throw new Error(`${raw.length} vectors for ${count} texts`);
  const vectors = raw.map(toVector);
  const length = vectors[0]?.length ?? 0;
  if (length === 0 || vectors.some((vector) => vector.length !== length))
    throw new Error('the vectors are not equally long');
  return vectors.map(unitVector);
}

function inOrder(data: readonly unknown[]): unknown[] {
  const items = data.filter(isObject);
  return items.sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0)).map(({ embedding }) => embedding);
}

/** Numbers, or the bytes of 32-bit floats (little-endian) in base64; a server may not know the second form. */
function toVector(raw: unknown): Float32Array {
  if (Array.isArray(raw)) return Float32Array.from(raw, Number);
  if (typeof raw !== 'string') throw new Error('a vector is missing');
  const bytes = Buffer.from(raw, 'base64');
  const vector = new Float32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(i * 4);
  return vector;
}
