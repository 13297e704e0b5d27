import type { LetIn } from '../access/gate.ts';
import type { HttpParts } from './http-parts.ts';
import type { BodyBounds } from './read-input.ts';

/** Performs a request whose body counts as under way until it was performed. */
export async function received<T>(
  { limits, underWay }: Pick<HttpParts, 'limits' | 'underWay'>,
  { holder }: Pick<LetIn, 'holder'>,
  maxBytes: number,
  perform: (bounds: BodyBounds) => Promise<T>,
): Promise<T> {
  const bytes = underWay.begin(holder);
  try {
    return await perform({ maxBytes, stallMs: limits.stallMs, bytes });
  } finally {
    bytes.release();
  }
}
