import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWhole } from '../../text/files.ts';
import type { EmbeddingsOptions } from '../embeddings/embeddings-options.ts';
import { walk } from '../index/files.ts';
import { IndexClient } from '../index/index-client.ts';
import { linesOf } from '../markdown/blocks.ts';
import { depth, type Judgement, judge, percentile } from './judge.ts';
import { type Place, plainPath, type Question, questionsOf, treesIn } from './questions.ts';

/** The quality of a search. Shares are from 0 to 1, and means over all judged questions. */
export interface Evaluation extends Judgement {
  /** Number of folders, each with its own questions. */
  trees: number;
  files: number;
  chunks: number;
  /** Questions with relevant places; all figures are over these. */
  queries: number;
  /** Questions without relevant places. */
  unjudged: number;
  /** Relevant places that do not exist in the folder, so that no search can find them. */
  nowhere: number;
  /** Files that are not indexed, and why. */
  problems: { path: string; problem: string }[];
  /** `hybrid` if vectors were used for every question. */
  mode: 'lexical' | 'hybrid';
  /** Why configured vectors were missing for a question; else null. */
  reason: string | null;
  indexMs: number;
  /** Latency of a search for ten passages. */
  p50Ms: number;
  p95Ms: number;
}

interface EvaluationOptions {
  /** Changes each question before the search. */
  change?: ((query: string) => string) | undefined;
  /** The embedding model; without one the search goes by words only. */
  embeddings?: EmbeddingsOptions | undefined;
}

/** More than ten, because several passages of one file may come before the next file. */
const maxHits = 40;

/**
 * Measures retrieval on a folder of Markdown with a `queries.jsonl`, one `{query, relevant: [{path, line?}]}` a line, or on
 * several folders of that kind in one. Uses a temporary index, and changes nothing in the folder.
 *
 * @throws DetentError `NOT_FOUND` when there are no questions, `INVALID_ARGUMENTS` when a line is no question.
 */
export async function evaluate(
  folder: string,
  { change = (query) => query, embeddings }: EvaluationOptions = {},
): Promise<Evaluation> {
  const trees = await treesIn(folder);
  const judged: (Judgement & { ms: number })[] = [];
  const sums = { files: 0, chunks: 0, unjudged: 0, nowhere: 0, indexMs: 0 };
  const problems: Evaluation['problems'] = [];
  let reason: string | null = null;
  for (const tree of trees) {
    const questions = await questionsOf(tree);
    sums.nowhere += await countNowhere(tree, questions);
    const scratch = await mkdtemp(join(tmpdir(), 'detent-eval-'));
    const index = new IndexClient({
      root: tree,
      tree: 'all',
      file: join(scratch, 'memory.db'),
      isWatching: false,
      ...(embeddings && { embeddings }),
    });
    try {
      const began = performance.now();
      const status = await index.index(false);
      sums.indexMs += performance.now() - began;
      sums.files += status.indexed;
      sums.chunks += status.chunks;
      problems.push(...status.problems);
      for (const { query, relevant } of questions) {
        if (relevant.length === 0) {
          sums.unjudged++;
          continue;
        }
        const search = (limit: number) => index.search({ queries: [change(query)], limit, waitMs: null });
        const asked = performance.now();
        const { results, mode, reason: why } = await search(depth);
        const ms = performance.now() - asked;
        const isEnough = results.length < depth || new Set(results.map(({ path }) => path)).size === depth;
        const hits = isEnough ? results : (await search(maxHits)).results;
        judged.push({ ms, ...judge(hits, relevant) });
        if (embeddings && mode === 'lexical') reason ??= why;
      }
    } finally {
      await index.close();
      await rm(scratch, { recursive: true, force: true });
    }
  }
  const mean = (of: (each: Judgement) => number) =>
    judged.length === 0 ? 0 : judged.reduce((sum, each) => sum + of(each), 0) / judged.length;
  const times = judged.map(({ ms }) => ms);
  return {
    trees: trees.length,
    files: sums.files,
    chunks: sums.chunks,
    queries: judged.length,
    unjudged: sums.unjudged,
    nowhere: sums.nowhere,
    problems,
    mode: embeddings && reason === null ? 'hybrid' : 'lexical',
    reason,
    hitAt1: mean((each) => each.hitAt1),
    hitAt5: mean((each) => each.hitAt5),
    recallAt5: mean((each) => each.recallAt5),
    recallAt10: mean((each) => each.recallAt10),
    ndcgAt10: mean((each) => each.ndcgAt10),
    indexMs: sums.indexMs,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
  };
}

/** Number of places whose file or line does not exist in the tree. */
async function countNowhere(tree: string, questions: readonly Question[]): Promise<number> {
  const files = new Map<string, string>();
  for (const found of walk(tree, 'all')) if ('stat' in found) files.set(plainPath(found.path), found.path);
  const lines = new Map<string, number>();
  const isThere = async ({ path, line }: Place) => {
    const file = files.get(path);
    if (file === undefined || line === undefined) return file !== undefined;
    const count = lines.get(path) ?? linesOf(String(await readWhole(join(tree, file)))).length;
    lines.set(path, count);
    return line <= count;
  };
  let nowhere = 0;
  for (const { relevant } of questions) for (const place of relevant) if (!(await isThere(place))) nowhere++;
  return nowhere;
}

/** Misspells the two longest words of Latin letters, always in the same way, to measure the effect of typing errors. */
export function misspelt(text: string): string {
  const words = [...text.matchAll(/[A-Za-z]{5,}/g)].map(([word]) => word);
  const longest = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, 2);
  return longest.reduce((all, word) => all.replaceAll(word, misspeltWord(word)), text);
}

/** Drops a letter, swaps two or replaces one inside the word; the word determines which. */
function misspeltWord(word: string): string {
  const sum = [...word].reduce((all, letter) => (all * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
  const at = 1 + (sum % (word.length - 2));
  const [before, letter, next, rest] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  const kind = Math.floor(sum / 7) % 3;
  if (kind === 0) return `${before}${next}${rest}`;
  if (kind === 1 && letter !== next) return `${before}${next}${letter}${rest}`;
  return `${before}${letter === 'x' ? 'q' : 'x'}${next}${rest}`;
}
