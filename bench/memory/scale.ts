import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddingsOptions } from '../../src/memory/embeddings/embeddings-options.ts';
import { IndexClient } from '../../src/memory/index/index-client.ts';
import { type LoopDelay, loopDelayDuring } from '../support/loop-delay.ts';
import { median, megabyte, quantile, rounded } from '../support/numbers.ts';
import { type Material, writeNotes } from './material.ts';

/** What an index costs. */
export interface Scale {
  /** By what it is, with its unit. */
  index: Record<string, number>;
  searches: SearchTimes[];
  /** Of the thread that asks. */
  delays: LoopDelay[];
}

/** Milliseconds from question to answer. */
interface SearchTimes {
  what: string;
  searches: number;
  p50: number;
  p95: number;
  max: number;
}

interface ScaleOptions {
  chunks: number;
  /** How long the idle event loop is looked at. */
  idleMs: number;
  embeddings: EmbeddingsOptions;
  tell(what: string): void;
}

/** As the tools wait for files that have changed. */
const waitMs = 50;
/** Between two searches while the index is made. */
const restMs = 100;

/** An index of so many chunks: made, searched, made anew while it is searched, and given vectors. */
export async function measureScale(
  folder: string,
  { sentences, questions }: Material,
  { chunks, idleMs, embeddings, tell }: ScaleOptions,
): Promise<Scale> {
  tell('writing notes');
  const root = join(folder, 'notes');
  const bytes = await writeNotes(root, sentences, chunks);
  const file = join(folder, 'memory.db');
  const options = { root, tree: 'all', file, isWatching: false } as const;
  const delays: LoopDelay[] = [];
  const searches: SearchTimes[] = [];
  const during = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    tell(what);
    const { result, delay } = await loopDelayDuring(what, work);
    delays.push(delay);
    return result;
  };
  const timed = async <Result>(work: () => Promise<Result>): Promise<[Result, number]> => {
    const began = performance.now();
    return [await work(), performance.now() - began];
  };
  const asked = async (index: IndexClient, query: string) =>
    (await timed(() => index.search({ queries: [query], limit: 6, waitMs })))[1];

  await during('nothing: the floor', () => sleep(idleMs));
  const rssBefore = process.memoryUsage.rss();
  const byWords = new IndexClient(options);
  const [status, madeMs] = await during('indexing', () => timed(() => byWords.index(false)));
  const size = sizeOf(file);
  await during('searching by words', async () => {
    const [first, again] = await askTwice(questions, (query) => asked(byWords, query));
    searches.push(timesOf('by words', first), timesOf('… again', again));
  });
  const rssByWords = process.memoryUsage.rss();
  const anewMs = await during('indexing anew, and searching', async () => {
    const making = timed(() => byWords.index(true));
    const times: number[] = [];
    let isDone = false;
    const done = making.finally(() => {
      isDone = true;
    });
    for (let i = 0; !isDone; i++) {
      times.push(await asked(byWords, questions[i % questions.length] ?? ''));
      await Promise.race([sleep(restMs), done]);
    }
    searches.push(timesOf(`by words while the index is made anew (waits ${waitMs} ms for it)`, times));
    return (await done)[1];
  });
  await byWords.close();

  const byMeaning = new IndexClient({ ...options, embeddings });
  const [, filledMs] = await during('making vectors', () => timed(() => byMeaning.index(false)));
  const [, loadedMs] = await timed(() => asked(byMeaning, 'the first question'));
  await during('searching by words and vectors', async () => {
    const [first, again] = await askTwice(questions, (query) => asked(byMeaning, query));
    searches.push(timesOf('by words and vectors', first), timesOf('… again: its vector is known', again));
  });
  const rssByMeaning = process.memoryUsage.rss();
  const sizeWithVectors = sizeOf(file);
  await byMeaning.close();
  const mb = (count: number) => rounded(count / megabyte, 0);
  return {
    index: {
      chunks: status.chunks,
      files: status.indexed,
      'Markdown, MB': mb(bytes),
      'made in s': rounded(madeMs / 1_000, 1),
      'chunks a second': rounded(status.chunks / (madeMs / 1_000), 0),
      'made anew while searched, s': rounded(anewMs / 1_000, 1),
      'size, MB': mb(size),
      'RSS before, MB': mb(rssBefore),
      'RSS with it, MB': mb(rssByWords),
      'vectors made in s': rounded(filledMs / 1_000, 1),
      'first search with vectors, which loads them, ms': rounded(loadedMs, 0),
      'size with vectors, MB': mb(sizeWithVectors),
      'RSS with vectors, MB': mb(rssByMeaning),
    },
    searches,
    delays,
  };
}

/** Each question once and then once more, when all that can be kept of it is kept. */
async function askTwice(
  questions: readonly string[],
  ask: (query: string) => Promise<number>,
): Promise<[first: number[], again: number[]]> {
  const first: number[] = [];
  const again: number[] = [];
  for (const query of questions) {
    first.push(await ask(query));
    again.push(await ask(query));
  }
  return [first, again];
}

function timesOf(what: string, times: readonly number[]): SearchTimes {
  const ms = (value: number) => rounded(value, 1);
  return {
    what,
    searches: times.length,
    p50: ms(median(times)),
    p95: ms(quantile(times, 0.95)),
    max: ms(Math.max(...times)),
  };
}

/** With its write-ahead log. */
function sizeOf(file: string): number {
  return ['', '-wal'].reduce(
    (sum, end) => sum + (statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
