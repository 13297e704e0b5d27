import Sqlite from 'better-sqlite3';
import { messageOf } from '../../src/protocol/error.ts';
import type { TestVectors } from './vectors.ts';

/** The extension with both of its tables, filled. */
interface VecTables {
  version: string;
  /** Ids of the nearest, best first. */
  floats(query: Float32Array, limit: number): number[];
  bytes(query: Float32Array, limit: number): number[];
  close(): void;
}

/**
 * The same vectors in sqlite-vec: as 32-bit floats, and as bytes by one scale for all, as its table wants. In memory, where it
 * has no page to read from a file; by L2, for which it has SIMD, and which orders vectors of length 1 as their cosine does.
 *
 * @returns why not, where the extension has no build for this platform.
 */
export async function vecTables({
  flat,
  dims,
  count,
}: TestVectors): Promise<VecTables | { problem: string }> {
  const db = new Sqlite(':memory:');
  try {
    const { load } = await import('sqlite-vec');
    load(db);
  } catch (error) {
    db.close();
    return { problem: messageOf(error) };
  }
  db.exec(`CREATE VIRTUAL TABLE floats USING vec0 (id INTEGER PRIMARY KEY, v float[${dims}]);
    CREATE VIRTUAL TABLE bytes USING vec0 (id INTEGER PRIMARY KEY, v int8[${dims}])`);
  let most = 0;
  for (const value of flat) most = Math.max(most, Math.abs(value));
  const bytesOf = (vector: Float32Array) =>
    Int8Array.from(vector, (value) => Math.max(-127, Math.min(127, Math.round((value / most) * 127))));
  const insertFloats = db.prepare('INSERT INTO floats (id, v) VALUES (?, ?)');
  const insertBytes = db.prepare('INSERT INTO bytes (id, v) VALUES (?, vec_int8(?))');
  db.transaction(() => {
    for (let row = 0; row < count; row++) {
      const vector = flat.subarray(row * dims, (row + 1) * dims);
      insertFloats.run(BigInt(row), vector);
      insertBytes.run(BigInt(row), bytesOf(vector));
    }
  })();
  const nearestFloats = db.prepare('SELECT id FROM floats WHERE v MATCH ? AND k = ?').pluck();
  const nearestBytes = db.prepare('SELECT id FROM bytes WHERE v MATCH vec_int8(?) AND k = ?').pluck();
  return {
    version: db.prepare('SELECT vec_version()').pluck().get() as string,
    floats: (query, limit) => nearestFloats.all(query, limit) as number[],
    bytes: (query, limit) => nearestBytes.all(bytesOf(query), limit) as number[],
    close: () => db.close(),
  };
}
