import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddingsOptions } from '../../src/memory/embeddings/embeddings-options.ts';
import { type Evaluation, evaluate, misspelt } from '../../src/memory/eval/evaluate.ts';

export interface Quality extends Evaluation {
  set: string;
  /** recall@5 with the two longest words of each question misspelt. */
  misspelt: number;
  /** nDCG@10 with vectors of a server that knows no more than the words. */
  hybrid: number;
}

/** How well the questions of each folder find its files. */
export async function measureQuality(sets: string, embeddings: EmbeddingsOptions): Promise<Quality[]> {
  const entries = await readdir(sets, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const all: Quality[] = [];
  for (const set of names.sort()) {
    const folder = join(sets, set);
    const found = await evaluate(folder);
    const { recallAt5 } = await evaluate(folder, { change: misspelt });
    const { ndcgAt10 } = await evaluate(folder, { embeddings });
    all.push({ set, ...found, misspelt: recallAt5, hybrid: ndcgAt10 });
  }
  return all;
}
