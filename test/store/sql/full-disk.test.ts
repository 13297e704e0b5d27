import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { ask } from '../../support/ask.ts';
import { programFile } from '../../support/program.ts';
import { artifactInput, eventInput, withRuns } from '../rows.ts';
import { expectCode, opened, raw, temporaryFile } from '../support.ts';

const spare = 12;

/** A database with room for 12 pages (48 KB) more than it has. */
async function nearlyFull(groupCommit: boolean): Promise<{ file: string; store: Store }> {
  const file = await temporaryFile();
  const first = await openSqlite({ file });
  await withRuns(first);
  await first.close();
  const pages = raw(file, (db) => db.pragma('page_count', { simple: true })) as number;
  return { file, store: await opened({ file, groupCommit, maxPages: pages + spare }) };
}

/** An event and an artifact of some size, in one program. */
const write = (store: Store, n: number, bytes: number) =>
  store.commit(function* () {
    yield* ask('insertEvent', eventInput({ seq: n }));
    yield* ask('insertArtifact', artifactInput({ id: `a${n}`, body: 'x'.repeat(bytes) }));
    return n;
  });

/** The numbers whose event is there; each must have its artifact, and no other may. */
async function written(store: Store, upTo: number): Promise<number[]> {
  const events = (await store.query('listEvents', { run: 1, after: 0, limit: 10_000 })).map(({ seq }) => seq);
  for (let n = 1; n <= upTo; n++) {
    const artifact = await store.query('findArtifact', { tenant: 1, id: `a${n}` });
    expect(artifact !== undefined, `artifact ${n}`).toBe(events.includes(n));
  }
  return events;
}

const check = (file: string) => raw(file, (db) => db.pragma('integrity_check', { simple: true }));

describe('a full disk', () => {
  it('fails a commit whole, and the store works on', async () => {
    const { file, store } = await nearlyFull(true);
    await write(store, 1, 8_000);
    const refused = write(store, 2, 200_000);
    await expect(refused).rejects.toMatchObject({ code: 'DATABASE_FULL', retryable: true });
    expect(await written(store, 2)).toEqual([1]);
    await write(store, 3, 100);
    expect(await written(store, 3)).toEqual([1, 3]);
    expect(check(file)).toBe('ok');
  });

  it('is known until a commit finds room', async () => {
    const { store } = await nearlyFull(true);
    store.checkRoom?.();
    await expectCode(write(store, 1, 200_000), 'DATABASE_FULL');
    expect(() => store.checkRoom?.()).toThrow(expect.objectContaining({ code: 'DATABASE_FULL' }));
    await write(store, 2, 100);
    expect(store.checkRoom?.()).toBeUndefined();
  });

  it('is over once there is room', async () => {
    const { file, store } = await nearlyFull(true);
    await expectCode(write(store, 1, 200_000), 'DATABASE_FULL');
    await store.close();
    const roomy = await opened({ file });
    await write(roomy, 1, 200_000);
    expect(await written(roomy, 1)).toEqual([1]);
  });

  it.each([
    [true, [9, 4, 11, 33, 2]],
    [true, [120, 1, 120, 1, 120]],
    [true, [1, 1, 1, 1, 90]],
    [false, [9, 4, 11, 33, 2]],
  ])('fails those of a group that do not fit, alone (grouped: %s, KB: %j)', async (groupCommit, sizes) => {
    const { file, store } = await nearlyFull(groupCommit);
    const commits = Array.from({ length: 40 }, (_, i) => write(store, i + 1, (sizes[i % 5] ?? 0) * 1_000));
    const outcomes = await Promise.allSettled(commits);
    const kept = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(kept.length).toBeGreaterThan(0);
    expect(new Set(refused)).toEqual(new Set(['DATABASE_FULL']));
    await store.close();
    expect(await written(await opened({ file }), 40)).toEqual(kept);
    expect(check(file)).toBe('ok');
  });

  it('that fails the write of a shared transaction loses nothing acknowledged', async () => {
    const file = await temporaryFile();
    const child = programFile('test/store/sql/children/fill');
    // A file that may not grow: SQLite hears of it when it writes, not when it counts pages. 1 MB in blocks of 512.
    const limited = `ulimit -f 2048; exec "${process.execPath}" "${child}" "${file}"`;
    const { stdout, stderr } = spawnSync('sh', ['-c', limited], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { acknowledged, codes } = JSON.parse(stdout) as { acknowledged: number[]; codes: string[] };
    expect(codes).toEqual(['DATABASE_IO']);
    expect(acknowledged.length).toBeGreaterThan(60);
    expect(acknowledged.length).toBeLessThan(1_200);
    const events = await (await opened({ file })).query('listEvents', { run: 1, after: 0, limit: 10_000 });
    expect(events.map(({ seq }) => seq)).toEqual(acknowledged);
    expect(check(file)).toBe('ok');
  });
});
