import type { PlannedQuery } from './query.ts';
import type { GenerationReader } from './reader.ts';

/** A chunk with its score. */
export interface Found {
  id: number;
  /** From 0 to 1: the weighted share of the query's terms that it contains. Comparable between queries. */
  score: number;
}

/** The maximum BM25 score of a term, in multiples of its weight (k1 + 1, with FTS5's k1 of 1.2). */
export const maxPerTerm = 2.2;

/** The chunks that match a query best, by BM25. @param owner only this user's chunks; null for all. */
export function searchLexical(
  index: GenerationReader,
  query: PlannedQuery,
  limit: number,
  owner: string | null,
): Found[] {
  if (query.expression === null) return [];
  const most = Math.max(query.ftsWeight, 1e-6) * maxPerTerm;
  return index
    .match(query.expression, limit, owner)
    .map(({ id, score }) => ({ id, score: Math.min(1, score / most) }));
}
