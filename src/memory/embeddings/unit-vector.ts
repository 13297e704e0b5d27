import { DetentError } from '../../protocol/error.ts';

/** The same direction, with the length 1. @throws Error when it has none. */
export function unitVector(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum) || sum === 0) throw new Error('a vector has no direction');
  const length = Math.sqrt(sum);
  return vector.map((value) => value / length);
}

/** Says why a model makes no vectors. */
export function noVectors(model: string, problem: string): DetentError {
  return new DetentError('EMBEDDINGS_FAILED', `no vectors from ${model}: ${problem}`, { retryable: true });
}
