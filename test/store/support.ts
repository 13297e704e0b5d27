import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished } from 'vitest';
import { ask, type In, type Out, type RunRow, type StatementName } from '../../src/engine/statements.ts';
import type { Store } from '../../src/engine/store.ts';
import { openSqlite, type SqliteOptions } from '../../src/store/sql/sqlite.ts';

/** A fresh folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A path for a database in a fresh folder. */
export async function temporaryFile(): Promise<string> {
  return join(await temporaryFolder(), 'detent.sqlite');
}

/** An open database that is closed after the test. */
export async function opened(options: SqliteOptions): Promise<Store> {
  const store = await openSqlite(options);
  onTestFinished(() => store.close());
  return store;
}

/** Does something with a plain handle on a database file. */
export function raw<T>(file: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Commits one statement alone. */
export function put<K extends StatementName>(store: Store, name: K, input: In<K>): Promise<Out<K>> {
  return store.commit(() => ask(name, input));
}

export function runInput(over: Partial<In<'insertRun'>> = {}): In<'insertRun'> {
  return {
    tenant: 1,
    id: 'r1',
    session: 1,
    ordinal: 1,
    machine: 'run',
    version: 1,
    seq: 0,
    ended: 0,
    state: '"idle"',
    context: '{}',
    input: '{"prompt":"hi"}',
    options: '{}',
    output: null,
    fence: 1_000_000,
    createdAt: 10,
    ...over,
  };
}

export function eventInput(over: Partial<In<'insertEvent'>> = {}): In<'insertEvent'> {
  const event = { run: 1, tenant: 1, seq: 1, type: 'run.start', body: '{}', at: 11, path: 'a.b', hash: 'ff' };
  return { ...event, key: null, ...over };
}

export function effectInput(over: Partial<In<'insertEffect'>> = {}): In<'insertEffect'> {
  const effect = { run: 1, tenant: 1, n: 1, name: 'think', params: '{}', input: null, attempt: 1, at: 11 };
  return { ...effect, status: 'started', fence: 1_000_000, ...over };
}

export function messageInput(over: Partial<In<'insertMessage'>> = {}): In<'insertMessage'> {
  return { session: 1, tenant: 1, run: 1, seq: 1, i: 0, role: 'user', body: '{}', at: 11, ...over };
}

export function confirmationInput(over: Partial<In<'insertConfirmation'>> = {}): In<'insertConfirmation'> {
  return { run: 1, tenant: 1, call: 1, kind: 'confirm', hash: 'ff', body: '{}', askedAt: 11, ...over };
}

export function artifactInput(over: Partial<In<'insertArtifact'>> = {}): In<'insertArtifact'> {
  return { tenant: 1, id: 'a1', run: 1, mime: 'text/plain', body: 'long', createdAt: 11, ...over };
}

/** Session 1 with runs 1 to `runs` (`r1` …) in its lane, of tenant 1. */
export async function withRuns(store: Store, runs = 1): Promise<Store> {
  await store.commit(function* () {
    yield* ask('insertSession', { tenant: 1, key: 's1', at: 5 });
    for (let n = 1; n <= runs; n++) yield* ask('insertRun', runInput({ id: `r${n}`, ordinal: n }));
  });
  return store;
}

/** Ends a run that {@link withRuns} made. */
export async function endRun(store: Store, pk: number): Promise<void> {
  const ended = { pk, was: 0, seq: 1, ended: 1, fence: 1_000_000, state: '"done"', context: '{}' };
  expect(await put(store, 'advanceRun', { ...ended, output: null, updatedAt: 12 })).toBe(1);
}

export const idOf = (row: RunRow) => row.id;

/** All that can be read of sessions and runs numbered 1 to 5. */
export async function readAll(store: Store): Promise<unknown[]> {
  const all: unknown[] = [];
  const limit = 1_000;
  for (const tenant of [1, 2]) {
    all.push(
      await store.query('listSessions', { tenant, limit }),
      await store.query('listRuns', { tenant, limit }),
    );
    for (const key of ['s1', 's2', 's3']) all.push(await store.query('findSession', { tenant, key }));
    for (const id of ['a1', 'a2']) all.push(await store.query('findArtifact', { tenant, id }));
  }
  for (const n of [1, 2, 3, 4, 5]) {
    all.push(
      await store.query('listActiveRunsOf', { session: n }),
      await store.query('laneHead', { session: n }),
    );
    all.push(await store.query('lastOrdinal', { session: n }));
    all.push(await store.query('listMessages', { session: n, run: 0, seq: 0 }));
    all.push(await store.query('listEvents', { run: n, after: -1, limit }));
    for (const key of ['k1', 'k2']) all.push(await store.query('findEventByKey', { run: n, key }));
    all.push(await store.query('listEffects', { run: n }), await store.query('listTimers', { run: n }));
    all.push(await store.query('listConfirmations', { run: n }));
  }
  all.push(await store.query('listActiveRuns', {}), await store.query('lastDriver', {}));
  all.push(await store.query('listDueTimers', { fence: 0, before: 1e15, limit }));
  all.push(await store.query('nextTimer', { fence: 0 }));
  return all;
}

/** Expects a refusal by its stable code. */
export async function expectCode(work: Promise<unknown>, code: string): Promise<void> {
  await expect(work).rejects.toMatchObject({ name: 'DetentError', code });
}
