import type { MemoryHit } from '../../protocol/ports.ts';
import { type Found, maxPerTerm, searchLexical } from './lexical.ts';
import { type PlannedQuery, planQuery, type Speller } from './query.ts';
import type { GenerationReader } from './reader.ts';
import { snippetOf, weigh } from './snippet.ts';

/** A hit with internal data, which `search` does not return. */
export interface Passage extends MemoryHit {
  /** The author of each line of the snippet, as one letter. */
  authors: string;
  /** From 0 to 1: the weighted share of the query's terms that it contains. */
  coverage: number;
}

/** Candidates for each query. */
const pool = 50;

/** Finds the chunks whose vectors are nearest to the query's; best first, scores from 0 to 1. */
type VectorSearch = (limit: number) => Found[];

const nothingAsked = { weights: new Map<string, number>(), weight: 0 };

/** Maximum weight of the vectors' score. */
const maxMeaning = 0.5;

/** A search for one thing, in several wordings. */
export interface Sought {
  queries: readonly string[];
  limit: number;
  /** Finds only this user's chunks; null or left out: all. */
  owner?: string | null | undefined;
}

/** Searches one generation. */
export function searchIndex(
  index: GenerationReader,
  speller: Speller,
  { queries, limit, owner = null }: Sought,
  vectors: readonly VectorSearch[] = [],
): Passage[] {
  const planned = queries.map((query) => planQuery(query, index, speller));
  const best = new Map<number, { score: number; query: PlannedQuery | undefined }>();
  for (const [i, query] of planned.entries()) {
    const byWords = searchLexical(index, query, pool, owner);
    const byMeaning = vectors[i]?.(pool) ?? null;
    for (const { id, score } of byMeaning ? fused(byWords, byMeaning) : byWords)
      if (score > (best.get(id)?.score ?? -1)) best.set(id, { score, query });
  }
  const ranked = [...best].sort(([a, one], [b, other]) => other.score - one.score || a - b);
  const hits: Passage[] = [];
  for (const [id, { score, query }] of ranked) {
    if (hits.length >= limit) break;
    const most = hits.at(-1)?.score ?? 1;
    const hit = hitOf(index, id, { score, most }, query ?? nothingAsked);
    // Chunks overlap: show each passage once.
    if (hit && !hits.some((other) => isSamePassage(hit, other))) hits.push(hit);
  }
  return hits;
}

/**
 * A weighted sum of both scores, with that of the words stretched to the range from 0 to 1. Not rank fusion, which can be
 * worse than the better of its inputs. The vectors count less when the words are certain (the best hit has nearly all
 * terms, or far more than the next), so that poor vectors do little harm.
 */
function fused(words: readonly Found[], meaning: readonly Found[]): Found[] {
  const [first = 0, second = 0] = words.map(({ score }) => score);
  const lead = first > 0 ? (first - second) / first : 0;
  const share = maxMeaning * (1 - first) * (1 - lead) ** 2;
  const byWords = stretched(words);
  const byMeaning = new Map(meaning.map(({ id, score }) => [id, score]));
  const ids = new Set([...byWords.keys(), ...byMeaning.keys()]);
  const sum = (id: number) => (1 - share) * (byWords.get(id) ?? 0) + share * (byMeaning.get(id) ?? 0);
  return [...ids].map((id) => ({ id, score: sum(id) })).sort((a, b) => b.score - a.score);
}

function stretched(found: readonly Found[]): Map<number, number> {
  const most = Math.max(...found.map(({ score }) => score));
  return new Map(found.map(({ id, score }) => [id, score / most]));
}

function hitOf(
  index: GenerationReader,
  id: number,
  { score, most }: { score: number; most: number },
  { weights, weight }: Pick<PlannedQuery, 'weights' | 'weight'>,
): Passage | null {
  const chunk = index.chunk(id);
  if (!chunk) return null;
  const { path, heading } = chunk;
  const { start, end, text } = snippetOf(chunk, weights);
  const authors = chunk.authors.slice(start - chunk.start, end - chunk.start + 1);
  const coverage = weight > 0 ? Math.min(1, weigh(`${path} ${heading} ${text}`, weights) / weight) : 0;
  // BM25 gives no weight to a word in half of all texts, so with a handful of texts its score is meaningless: use coverage.
  const shown = Math.min(most, Math.max(score, coverage / maxPerTerm));
  return {
    path,
    startLine: start,
    endLine: end,
    snippet: text,
    heading,
    score: Number(shown.toFixed(4)),
    from: authors.includes('u') ? 'untrusted' : authors.includes('a') ? 'agent' : 'owner',
    authors,
    coverage,
  };
}

function isSamePassage(a: MemoryHit, b: MemoryHit): boolean {
  if (a.path !== b.path) return false;
  const shared = Math.min(a.endLine, b.endLine) - Math.max(a.startLine, b.startLine) + 1;
  if (shared <= 0) return false;
  return (
    a.snippet === b.snippet || shared * 2 > Math.min(a.endLine - a.startLine, b.endLine - b.startLine) + 1
  );
}
