import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { testSeed } from '../../support/seed.ts';
import { inSizes } from '../../support/size.ts';
import { add, type Counts } from './checks.ts';
import { Draws } from './draws.ts';
import type { StoreKind } from './life.ts';
import type { Report, Share } from './worker.ts';

const kinds: [name: string, kind: StoreKind, histories: number][] = [
  ['SQLite in memory', 'inMemory', inSizes({ usual: 8, deep: 30, full: 100_000 })],
  ['SQLite in a file', 'file', inSizes({ usual: 20, deep: 30, full: 1_000 })],
];

describe.each(kinds)('sessions of random life on a store %s', (name, kind, histories) => {
  it('ask models with requests alone that each wire takes, and leave nothing open', {
    timeout: 3_600_000,
  }, async () => {
    const of = Math.min(availableParallelism(), inSizes({ usual: 1, deep: 2, full: 2 }));
    const shares = Array.from({ length: of }, (_, i) => ({
      first: testSeed + i,
      end: testSeed + histories,
      of,
      kind,
    }));
    const reports = await Promise.all(shares.map(live));
    const counts: Counts = {};
    for (const report of reports) add(counts, report.counts);
    for (const { seed, error, choices, smallest } of reports.flatMap(({ failures }) => failures))
      console.error(
        `seed ${seed}: ${error}\n\nThe smallest like it, new Draws(${JSON.stringify(choices)}): ${smallest}`,
      );
    expect(
      reports.flatMap(({ failures }) => failures.map(({ seed, smallest }) => `seed ${seed}: ${smallest}`)),
    ).toEqual([]);
    console.log(`random sessions, ${name}: ${JSON.stringify(counts)}, 0 invalid requests`);
    expect(counts.histories).toBe(histories);
    for (const happened of [
      'crashes',
      'cancels',
      'steered',
      'decisions',
      'failures',
      'failovers',
      'compactions',
      'threaded',
    ])
      expect(counts[happened]).toBeGreaterThan(0);
  });
});

/** Worker threads, as every one of these histories is work for a whole core. One loads the program anew, for a second. */
function live(share: Share): Promise<Report> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: share });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)));
  });
}

describe('draws', () => {
  it('are the same from the same seed, and from what was drawn', () => {
    const first = new Draws(7);
    const told = Array.from({ length: 50 }, (_, i) => first.below(i + 1));
    const again = new Draws(7);
    expect(Array.from({ length: 50 }, (_, i) => again.below(i + 1))).toEqual(told);
    const repeated = new Draws(first.drawn);
    expect(Array.from({ length: 50 }, (_, i) => repeated.below(i + 1))).toEqual(told);
    expect(repeated.below(9)).toBe(0);
  });
});
