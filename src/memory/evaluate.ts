import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryHit } from '../agent/memory-source.ts';
import { DetentError } from '../protocol/error.ts';
import { isObject, parseJson } from '../protocol/json.ts';
import type { EmbeddingsOptions } from './embeddings/client.ts';
import { IndexClient } from './index/client.ts';

/** How well a search finds what it should; shares are from 0 to 1. */
export interface Evaluation {
  /** Trees of files, each with questions of its own. */
  trees: number;
  files: number;
  chunks: number;
  /** Questions that say what is relevant; all figures are of these. */
  queries: number;
  /** Questions that do not. */
  unjudged: number;
  hitAt1: number;
  hitAt5: number;
  recallAt5: number;
  recallAt10: number;
  ndcgAt10: number;
  indexMs: number;
  p50Ms: number;
  p95Ms: number;
}

interface Question {
  query: string;
  relevant: readonly { path: string; line?: number }[];
}

interface Judged {
  hitAt1: number;
  hitAt5: number;
  recallAt5: number;
  recallAt10: number;
  ndcgAt10: number;
  ms: number;
}

export interface EvaluationOptions {
  /** What to do to each question before it is asked. */
  change?: ((query: string) => string) | undefined;
  /** Where vectors come from; without it words alone are searched. */
  embeddings?: EmbeddingsOptions | undefined;
}

const questionsFile = 'queries.jsonl';
const depth = 10;
/** Several passages of one file may be found before the next file. */
const hitsAsked = 40;

/**
 * Measures retrieval on a folder of Markdown with a `queries.jsonl`, one `{query, relevant: [{path, line?}]}` a line, or on
 * several folders of that kind in one. The index is a temporary one; nothing in the folder is touched.
 *
 * @throws DetentError `NOT_FOUND` when there are no questions, `INVALID_ARGUMENTS` when a line is no question.
 */
export async function evaluate(
  folder: string,
  { change = (query) => query, embeddings }: EvaluationOptions = {},
): Promise<Evaluation> {
  const trees = await treesIn(folder);
  const judged: Judged[] = [];
  const sums = { files: 0, chunks: 0, unjudged: 0, indexMs: 0 };
  for (const tree of trees) {
    const questions = await questionsOf(tree);
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
      const { indexed, chunks } = await index.index(false);
      sums.indexMs += performance.now() - began;
      sums.files += indexed;
      sums.chunks += chunks;
      for (const { query, relevant } of questions) {
        if (relevant.length === 0) {
          sums.unjudged++;
          continue;
        }
        const asked = performance.now();
        const waitMs = Number.POSITIVE_INFINITY;
        const { results } = await index.search({ queries: [change(query)], limit: hitsAsked, waitMs });
        judged.push({ ...judge(results, relevant), ms: performance.now() - asked });
      }
    } finally {
      await index.close();
      await rm(scratch, { recursive: true, force: true });
    }
  }
  const mean = (of: (each: Judged) => number) =>
    judged.length === 0 ? 0 : judged.reduce((sum, each) => sum + of(each), 0) / judged.length;
  const times = judged.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    trees: trees.length,
    files: sums.files,
    chunks: sums.chunks,
    queries: judged.length,
    unjudged: sums.unjudged,
    hitAt1: mean((each) => each.hitAt1),
    hitAt5: mean((each) => each.hitAt5),
    recallAt5: mean((each) => each.recallAt5),
    recallAt10: mean((each) => each.recallAt10),
    ndcgAt10: mean((each) => each.ndcgAt10),
    indexMs: sums.indexMs,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
  };
}

async function treesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new DetentError('NOT_FOUND', `there is no folder ${folder}`);
  });
  if (entries.some(({ name }) => name === questionsFile)) return [folder];
  const trees: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const inner = join(folder, entry.name);
    if ((await readdir(inner)).includes(questionsFile)) trees.push(inner);
  }
  if (trees.length > 0) return trees.sort();
  const message = `${folder} has no ${questionsFile}: one {"query": "…", "relevant": [{"path": "notes.md", "line": 3}]} a line, paths from that folder, "line" where it matters`;
  throw new DetentError('NOT_FOUND', message);
}

async function questionsOf(tree: string): Promise<Question[]> {
  const text = await readFile(join(tree, questionsFile), 'utf8');
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const question = parseJson(line);
    if (isQuestion(question)) return [question];
    const message = `${join(tree, questionsFile)}, line ${i + 1}, is no {"query": "…", "relevant": [{"path": "…"}]}`;
    throw new DetentError('INVALID_ARGUMENTS', message);
  });
}

function isQuestion(value: unknown): value is Question {
  if (!isObject(value) || typeof value.query !== 'string' || !Array.isArray(value.relevant)) return false;
  return value.relevant.every(
    (each) =>
      isObject(each) && typeof each.path === 'string' && /^(undefined|number)$/.test(typeof each.line),
  );
}

/** Where a line is asked for, each passage has a rank; else each file, by the best of its passages. */
function judge(hits: readonly MemoryHit[], relevant: Question['relevant']): Omit<Judged, 'ms'> {
  const byLine = relevant.some(({ line }) => line !== undefined);
  const seen = new Set<string>();
  const ranked = hits.filter(({ path }) => byLine || (!seen.has(path) && seen.add(path))).slice(0, depth);
  const left = new Set(relevant);
  const ranks: number[] = [];
  for (const [i, hit] of ranked.entries())
    for (const wanted of left)
      if (isFound(hit, wanted)) {
        left.delete(wanted);
        ranks.push(i + 1);
      }
  const within = (k: number) => ranks.filter((rank) => rank <= k).length;
  const gain = (rank: number) => 1 / Math.log2(rank + 1);
  const best = Array.from({ length: Math.min(depth, relevant.length) }, (_, i) => gain(i + 1));
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  return {
    hitAt1: within(1) > 0 ? 1 : 0,
    hitAt5: within(5) > 0 ? 1 : 0,
    recallAt5: within(5) / relevant.length,
    recallAt10: within(10) / relevant.length,
    // Passages that share a rank can have no more than the best there is.
    ndcgAt10: Math.min(1, sum(ranks.map(gain)) / sum(best)),
  };
}

function isFound(hit: MemoryHit, { path, line }: { path: string; line?: number }): boolean {
  return hit.path === path && (line === undefined || (hit.startLine <= line && line <= hit.endLine));
}
