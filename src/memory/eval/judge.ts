import type { MemoryHit } from '../../protocol/ports.ts';
import { type Place, plainPath } from './questions.ts';

/** The quality of the hits for one question; shares are from 0 to 1. */
export interface Judgement {
  hitAt1: number;
  hitAt5: number;
  recallAt5: number;
  recallAt10: number;
  ndcgAt10: number;
}

/** The lowest rank that any figure uses. */
export const depth = 10;

/**
 * Judges hits by the relevant places, which all count equally.
 *
 * If no relevant place has a line, this ranks files, each by the best of its passages. Otherwise it ranks passages, and
 * the first passage that contains a line finds it. Hit at k: at least one relevant place is among the first k. Recall at
 * k: the share of relevant places among the first k. nDCG at 10: the sum of 1 / log2(rank + 1) over the ranks with a new
 * relevant place, divided by its value when these all come first. Lines in one passage count as one place.
 *
 * @param hits best first
 * @param relevant at least one place
 * @see https://en.wikipedia.org/wiki/Discounted_cumulative_gain
 */
export function judge(
  hits: readonly Pick<MemoryHit, 'path' | 'startLine' | 'endLine'>[],
  relevant: readonly Place[],
): Judgement {
  const byLine = relevant.some(({ line }) => line !== undefined);
  const seen = new Set<string>();
  const ranked = hits.filter(({ path }) => byLine || (!seen.has(path) && seen.add(path))).slice(0, depth);
  const left = new Set(relevant);
  const finds: { rank: number; count: number }[] = [];
  for (const [i, hit] of ranked.entries()) {
    const brought = [...left].filter((place) => isIn(hit, place));
    for (const place of brought) left.delete(place);
    if (brought.length > 0) finds.push({ rank: i + 1, count: brought.length });
  }
  const within = (k: number) => sum(finds.map(({ rank, count }) => (rank <= k ? count : 0)));
  const gain = (rank: number) => 1 / Math.log2(rank + 1);
  const most = Math.min(depth, finds.length + left.size);
  const best = Array.from({ length: most }, (_, i) => gain(i + 1));
  return {
    hitAt1: within(1) > 0 ? 1 : 0,
    hitAt5: within(5) > 0 ? 1 : 0,
    recallAt5: within(5) / relevant.length,
    recallAt10: within(10) / relevant.length,
    ndcgAt10: sum(finds.map(({ rank }) => gain(rank))) / sum(best),
  };
}

/** The smallest of some numbers that this share of them is not above; 0 of none. @param share above 0, at most 1 */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function isIn(hit: Pick<MemoryHit, 'path' | 'startLine' | 'endLine'>, { path, line }: Place): boolean {
  return (
    plainPath(hit.path) === path && (line === undefined || (hit.startLine <= line && line <= hit.endLine))
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
