/**
 * The search of memory: how well it finds on sets of questions, and what it costs when there is much to search.
 *
 * @module
 */

import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { VectorMatrix } from '../src/memory/embeddings/matrix.ts';
import { type Evaluation, evaluate } from '../src/memory/evaluate.ts';
import { IndexClient } from '../src/memory/index/client.ts';
import { misspelt } from '../src/memory/misspell.ts';
import { commonFlags } from './support/flags.ts';
import { machineFacts } from './support/machine-facts.ts';
import { median, megabyte, quantile, rounded } from './support/numbers.ts';
import { inScratchFolder } from './support/scratch.ts';
import { table } from './support/table.ts';

const usage = `usage: npm run bench -- memory [--quick] [--json] [--chunks N] [--sets DIR]

How well questions find their files, on every folder of DIR that "detent memory eval" takes; then what an index of N chunks
costs, made of the same texts, and a scan of N vectors.
  --quick     5,000 chunks: shows that it works, not what it costs
  --json      one JSON object instead of the tables
  --chunks N  how many (100,000)
  --sets DIR  folders with a queries.jsonl (the shared fixtures, else the diaries of the tests)`;

const dims = 384;
const shared = fileURLToPath(new URL('../../shared/fixtures/memory', import.meta.url));
const own = fileURLToPath(new URL('../test/fixtures/memory', import.meta.url));

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...commonFlags,
      chunks: { type: 'string' },
      sets: { type: 'string' },
    },
  });
  if (values.help) return console.log(usage);
  const chunks = Number(values.chunks ?? (values.quick ? 5_000 : 100_000));
  const sets = values.sets ? resolve(values.sets) : existsSync(shared) ? shared : own;
  const quality = await measureQuality(sets);
  const scale = await inScratchFolder((folder) => measureScale(folder, sets, chunks));
  const scan = measureScan(chunks);
  const machine = machineFacts();
  if (values.json) return console.log(JSON.stringify({ machine, quality, scale, scan }));
  console.log(`${machine.platform}, ${machine.cpu}, Node ${machine.node}\n`);
  console.log(table([qualityHead, ...quality.map(qualityRow)]));
  console.log(`\n${table([['an index', ''], ...Object.entries(scale).map(([k, v]) => [k, String(v)])])}`);
  console.log(
    `\n${table([[`a scan of ${chunks} vectors of ${dims}`, 'ms'], ...scan.map(({ what, ms }) => [what, String(ms)])])}`,
  );
}

interface Quality extends Evaluation {
  set: string;
  /** recall@5 with misspelt words. */
  misspelt: number;
}

const qualityHead = [
  'set',
  'questions',
  'hit@1',
  'hit@5',
  'recall@5',
  'recall@10',
  'nDCG@10',
  'misspelt r@5',
];

function qualityRow(found: Quality): string[] {
  const { hitAt1, hitAt5, recallAt5, recallAt10, ndcgAt10 } = found;
  const shares = [hitAt1, hitAt5, recallAt5, recallAt10, ndcgAt10, found.misspelt];
  return [found.set, String(found.queries), ...shares.map((share) => share.toFixed(3))];
}

async function measureQuality(sets: string): Promise<Quality[]> {
  const all: Quality[] = [];
  for (const { name } of await folders(sets)) {
    const found = await evaluate(join(sets, name));
    const { recallAt5 } = await evaluate(join(sets, name), { change: misspelt });
    all.push({ set: name, ...found, misspelt: recallAt5 });
  }
  return all;
}

async function folders(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function measureScale(folder: string, sets: string, chunks: number): Promise<Record<string, number>> {
  const { sentences, questions } = await material(sets);
  await writeNotes(join(folder, 'notes'), sentences, chunks);
  const file = join(folder, 'memory.db');
  const index = new IndexClient({ root: join(folder, 'notes'), tree: 'all', file, isWatching: false });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const began = performance.now();
  const status = await index.index(false);
  const indexMs = performance.now() - began;
  delay.disable();
  const times: number[] = [];
  for (const query of questions) {
    const asked = performance.now();
    await index.search({ queries: [query], limit: 6, waitMs: 50 });
    times.push(performance.now() - asked);
  }
  const rss = process.memoryUsage.rss();
  await index.close();
  return {
    files: status.indexed,
    chunks: status.chunks,
    'made in s': rounded(indexMs / 1000, 1),
    'size in MB': rounded(statSync(file).size / megabyte, 0),
    'RSS in MB': rounded(rss / megabyte, 0),
    'event loop p99 ms': rounded(delay.percentile(99) / 1e6 - 5, 1),
    'event loop max ms': rounded(delay.max / 1e6 - 5, 1),
    searches: times.length,
    'search p50 ms': rounded(median(times), 1),
    'search p95 ms': rounded(quantile(times, 0.95), 1),
  };
}

/** Sentences and questions of all sets. */
async function material(sets: string): Promise<{ sentences: string[]; questions: string[] }> {
  const sentences: string[] = [];
  const questions: string[] = [];
  for (const entry of await readdir(sets, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.name === 'queries.jsonl')
      for (const line of (await readFile(path, 'utf8')).split('\n').filter((each) => each !== ''))
        questions.push((JSON.parse(line) as { query: string }).query);
    if (entry.name.endsWith('.md'))
      sentences.push(
        ...(await readFile(path, 'utf8')).split(/(?<=[.!?。！？])\s*/).filter((each) => each.length > 8),
      );
  }
  const every = Math.max(1, Math.floor(questions.length / 300));
  return { sentences, questions: questions.filter((_, i) => i % every === 0) };
}

/** Paragraphs of about a chunk each, of sentences that a fixed sequence picks; fifty a file. */
async function writeNotes(folder: string, sentences: readonly string[], chunks: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  let seed = 7;
  const pick = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return sentences[seed % sentences.length] ?? '';
  };
  const perFile = 50;
  for (let n = 0; n < chunks / perFile; n++) {
    const paragraphs = Array.from({ length: perFile }, () => {
      let text = '';
      while (text.length < (/\p{Script=Han}/u.test(text) ? 480 : 1_500)) text += `${pick()} `;
      return text;
    });
    await writeFile(join(folder, `${n}.md`), `# Note ${n}\n\n${paragraphs.join('\n\n')}\n`);
  }
}

/** A scan must read every number once: no scan is faster than that. */
function measureScan(count: number): { what: string; ms: number }[] {
  const [matrix, plain] = [new VectorMatrix(dims), new VectorMatrix(dims, true)];
  const flat = new Float32Array(count * dims);
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 31 - 1;
  };
  for (let i = 0; i < flat.length; i++) flat[i] = next();
  for (let row = 0; row < count; row++)
    for (const each of [matrix, plain]) each.add(`${row}`, flat.subarray(row * dims, (row + 1) * dims));
  const query = flat.slice(0, dims);
  const timed = (work: () => unknown) => {
    const times = Array.from({ length: 15 }, () => {
      const began = performance.now();
      work();
      return performance.now() - began;
    });
    return rounded(median(times), 1);
  };
  const bytes = new BigUint64Array(flat.buffer);
  return [
    { what: 'the nearest ten, by the kernel', ms: timed(() => matrix.nearest(query, 10)) },
    { what: 'the nearest ten, plain JavaScript', ms: timed(() => plain.nearest(query, 10)) },
    { what: 'copying the numbers (memory bandwidth)', ms: timed(() => bytes.slice()) },
  ];
}
