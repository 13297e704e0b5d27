import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import { type Counts, checkSession, Untrue } from './checks.ts';
import { Draws, minimise } from './draws.ts';
import { RandomSession } from './session.ts';
import { RandomWires } from './wires.ts';

export type StoreKind = 'inMemory' | 'file';

/** Lives one session of these choices and checks it; throws what is wrong. */
export async function liveOnce(draws: Draws, kind: StoreKind): Promise<Counts> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'detent-life-'));
  const file = join(folder.path, 'detent.db');
  const store = kind === 'inMemory' ? openInMemory() : await openSqlite({ file, synchronous: 'NORMAL' });
  try {
    const wires = new RandomWires();
    const session = new RandomSession(draws, store, { wires });
    await session.live();
    return await checkSession(session, wires);
  } finally {
    await store.close();
  }
}

export interface Failure {
  seed: number;
  kind: StoreKind;
  /** What is wrong with the history of the seed, and with the smallest one like it. */
  error: string;
  choices: readonly number[];
  smallest: string;
}

/** Tells a failure with its seed and the smallest history that fails as it does. */
export async function explain(
  seed: number,
  kind: StoreKind,
  error: unknown,
  maxMs = 30_000,
): Promise<Failure> {
  const draws = new Draws(seed);
  await liveOnce(draws, kind).catch(() => {});
  let smallest = textOf(error);
  const fails = async (choices: readonly number[]) => {
    try {
      await liveOnce(new Draws(choices), kind);
      return false;
    } catch (thrown) {
      if (kindOf(thrown) !== kindOf(error)) return false;
      smallest = textOf(thrown);
      return true;
    }
  };
  const choices = await minimise(draws.drawn, fails, maxMs);
  return { seed, kind, error: textOf(error), choices, smallest };
}

/** Failures of one kind begin alike, but for numbers. */
function kindOf(error: unknown): string {
  return textOf(error).replaceAll(/\d+/g, '#').slice(0, 40);
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const detail =
    error instanceof Untrue ? (JSON.stringify(error.detail, null, 1) ?? '').slice(0, 6_000) : error.stack;
  return `${error.message}\n${detail}`;
}
