import { VectorMatrix } from '../../src/memory/embeddings/matrix.ts';
import { inTurns } from '../support/in-turns.ts';
import { rounded } from '../support/numbers.ts';
import { vecTables } from './sqlite-vec.ts';
import { exactNearest, type TestVectors, testVectors } from './vectors.ts';

/** Comparing all vectors with one, by several means; and reading as many bytes, which is what none can be faster than. */
export interface Scan {
  count: number;
  dims: number;
  rows: ScanRow[];
  /** Of sqlite-vec; null where it is missing. */
  version: string | null;
  /** Why it is missing. */
  problem: string | null;
}

interface ScanRow {
  what: string;
  medianMs: number;
  p95Ms: number;
  /** Gigabytes (10⁹) a second of what it has to read. */
  gbPerSecond: number;
  /** Times what it takes to read the vectors as 32-bit floats. */
  ratio: number;
  /** Of the ten nearest, the share that was found; null of what looks for none. */
  recall: number | null;
}

const limit = 10;
const floats = 'reading them: memchr';
const halves = 'reading them: memcmp of their halves';

interface Means {
  what: string;
  /** Bytes for each number. */
  width: number;
  /** Ids of the nearest; null of what looks for none. */
  run(query: Float32Array): readonly number[] | null;
}

/** @param runs of each, in turns. */
export async function measureScan(count: number, dims: number, runs: number): Promise<Scan> {
  const vectors = testVectors(count, dims, 30);
  const vec = await vecTables(vectors);
  const means = [...floors(count * dims * 4), ours(vectors)];
  if (!('problem' in vec))
    means.push(
      { what: 'sqlite-vec, 32-bit floats', width: 4, run: (query) => vec.floats(query, limit) },
      { what: 'sqlite-vec, bytes', width: 1, run: (query) => vec.bytes(query, limit) },
    );
  try {
    const times = await timesOf(means, vectors.queries, runs);
    const floor = Math.min(times.get(floats)?.medianMs ?? 0, times.get(halves)?.medianMs ?? 0);
    const exact = vectors.queries.map((query) => new Set(exactNearest(vectors, query, limit)));
    const rows = means.map(({ what, width, run }) => {
      const { medianMs = Number.NaN, p95Ms = Number.NaN } = times.get(what) ?? {};
      return {
        what,
        medianMs,
        p95Ms,
        gbPerSecond: rounded((count * dims * width) / medianMs / 1e6, 1),
        ratio: rounded(medianMs / floor, 1),
        recall: recallOf(run, vectors.queries, exact),
      };
    });
    if ('problem' in vec) return { count, dims, rows, version: null, problem: vec.problem };
    return { count, dims, rows, version: vec.version, problem: null };
  } finally {
    if (!('problem' in vec)) vec.close();
  }
}

async function timesOf(means: readonly Means[], queries: readonly Float32Array[], runs: number) {
  const kinds = means.map(({ what, run }) => {
    let n = 0;
    return { what, run: async () => run(queries[n++ % queries.length] ?? new Float32Array()) };
  });
  return new Map((await inTurns(runs, kinds)).map((times) => [times.what, times]));
}

/** What the C library does to look at every byte: at about the speed of the memory, and without native code of our own. */
function floors(size: number): Means[] {
  const all = Buffer.alloc(size, 1);
  const [first, second] = [all.subarray(0, size / 2), all.subarray(size / 2)];
  const reading = (what: string, read: () => unknown): Means => ({
    what,
    width: 4,
    run: () => {
      read();
      return null;
    },
  });
  return [reading(floats, () => all.indexOf(2)), reading(halves, () => first.equals(second))];
}

function ours({ flat, dims, count }: TestVectors): Means {
  const matrix = new VectorMatrix(dims);
  for (let row = 0; row < count; row++) matrix.add(`${row}`, flat.subarray(row * dims, (row + 1) * dims));
  return {
    what: 'ours',
    width: 4,
    run: (query) => matrix.nearest(query, limit).map(({ hash }) => Number(hash)),
  };
}

function recallOf(
  run: Means['run'],
  queries: readonly Float32Array[],
  exact: readonly ReadonlySet<number>[],
): number | null {
  let found = 0;
  for (const [i, query] of queries.entries()) {
    const ids = run(query);
    if (!ids) return null;
    found += ids.filter((id) => exact[i]?.has(id)).length;
  }
  return rounded(found / (queries.length * limit), 3);
}
