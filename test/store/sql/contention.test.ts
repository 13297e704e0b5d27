import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { SqliteOptions } from '../../../src/store/sql/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { commandInput, put, withRuns } from '../rows.ts';
import { expectCode, opened, raw, temporaryFile } from '../support.ts';

/** Another process with the same database, at its work once this resolves. */
async function another(script: string, file: string, ...args: string[]): Promise<ChildProcess> {
  const path = new URL(`./children/${script}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [path, file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.stdin?.end();
  expect((await exit)[0]).toBe(0);
}

const faultsOf = async (store: Store) => (await store.query('loadRun', { tenant: 1, id: 'r1' }))?.faults;

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('while another process writes all the time', () => {
  const enough = 200;

  it.each<Omit<SqliteOptions, 'file'>>([
    { synchronous: 'FULL' },
    { synchronous: 'NORMAL' },
    { synchronous: 'NORMAL', groupCommit: false },
  ])('neither of the two starves, and no commit is refused (%j)', async (options) => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file, ...options }));
    const child = await another('write.ts', file, JSON.stringify(options));
    const first = await put(store, 'insertCommand', commandInput());
    let [ours, theirs] = [1, 0];
    while ((ours < enough || theirs < enough) && ours + theirs < 20 * enough) {
      const { id } = await put(store, 'insertCommand', commandInput());
      ours++;
      theirs = id - first.id + 1 - ours;
    }
    child.kill('SIGKILL');
    expect(ours).toBeGreaterThanOrEqual(enough);
    expect(theirs).toBeGreaterThanOrEqual(enough);
  });

  it('commits that come together share a transaction, and none is lost or comes twice', async () => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file, synchronous: 'NORMAL' }));
    const child = await another('write.ts', file, '{"synchronous":"NORMAL"}');
    for (let round = 0; round < 10; round++)
      await Promise.all(
        Array.from({ length: 30 }, () => put(store, 'insertCommand', commandInput({ kind: 'ours' }))),
      );
    child.kill('SIGKILL');
    const kinds = raw(file, (db) => db.prepare('select kind from commands order by id').pluck().all());
    const begun = kinds.filter((kind, i) => kind === 'ours' && kinds[i - 1] !== 'ours').length;
    expect(kinds.filter((kind) => kind === 'ours')).toHaveLength(300);
    expect(begun).toBeLessThanOrEqual(10);
  });
});

describe('while another process holds the lock', () => {
  afterEach(() => void vi.useRealTimers());

  it('commits wait for it, in their order, and timers and readers go on', async () => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file }));
    const child = await another('hold.ts', file);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (n) => {
      const { id } = await put(store, 'insertCommand', commandInput());
      order.push(id);
      return n;
    });
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(order).toEqual([]);
    expect(await faultsOf(store)).toBe(0);
    await ended(child);
    expect(await Promise.all(waiting)).toEqual([1, 2, 3]);
    expect(order).toEqual([1, 2, 3]);
    expect(await faultsOf(store)).toBe(100);
  });

  it('they are refused once 5 seconds have passed, all together, and nothing of them is kept', async () => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file }));
    const child = await another('hold.ts', file);
    vi.useFakeTimers({ toFake: ['Date'] });
    const began = Date.now();
    const refusals: unknown[] = [];
    const refused = [1, 2, 3].map(() =>
      put(store, 'countFault', { pk: 1 }).catch((error: unknown) => void refusals.push(error)),
    );
    // It begins to wait in the next turn of the event loop.
    for (let i = 0; i < 3; i++) await turn();
    vi.setSystemTime(began + 4_900);
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(refusals).toEqual([]);
    vi.setSystemTime(began + 5_100);
    await Promise.all(refused);
    expect(refusals).toHaveLength(3);
    for (const error of refusals)
      expect(error).toMatchObject({
        name: 'DetentError',
        code: 'DATABASE_BUSY',
        message: expect.stringContaining('another process holds it'),
        retryable: true,
      });
    vi.useRealTimers();
    expect(await faultsOf(store)).toBe(0);
    await ended(child);
    expect(await put(store, 'countFault', { pk: 1 })).toBe(1);
    expect(await faultsOf(store)).toBe(101);
  });

  it('a store that is closed still waits for what was asked for before', async () => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file }));
    const child = await another('hold.ts', file);
    const asked = put(store, 'countFault', { pk: 1 });
    const closing = store.close();
    await expectCode(put(store, 'countFault', { pk: 1 }), 'CLOSED');
    await ended(child);
    expect(await asked).toBe(1);
    await closing;
    expect(await faultsOf(await opened({ file }))).toBe(101);
  });

  it('a process that is killed in the middle of its transaction leaves nothing of it', async () => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file }));
    const child = await another('hold.ts', file);
    const waiting = put(store, 'countFault', { pk: 1 });
    child.kill('SIGKILL');
    expect(await waiting).toBe(1);
    expect(await faultsOf(store)).toBe(1);
  });
});

describe('the version of a store', () => {
  it('changes when another process has committed, and only then', async () => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file }));
    const before = store.version?.();
    expect(before).toBeTypeOf('number');
    await put(store, 'countFault', { pk: 1 });
    await faultsOf(store);
    expect(store.version?.()).toBe(before);
    const child = await another('hold.ts', file);
    expect(store.version?.()).toBe(before);
    await ended(child);
    const after = store.version?.();
    expect(after).not.toBe(before);
    await put(store, 'countFault', { pk: 1 });
    expect(store.version?.()).toBe(after);
  });

  it('changes with a commit of another store of this process, and not with one that was rolled back', async () => {
    const file = await temporaryFile();
    const [store, other] = [await withRuns(await opened({ file })), await opened({ file })];
    const before = store.version?.();
    const failing = other.commit(function* () {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await put(other, 'countFault', { pk: 9 })).toBe(0);
    expect(store.version?.()).toBe(before);
    await put(other, 'countFault', { pk: 1 });
    expect(store.version?.()).not.toBe(before);
  });

  it('is refused once the store was closed', async () => {
    const store = await opened({ file: await temporaryFile() });
    await store.close();
    expect(() => store.version?.()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });

  it('is asked for again while SQLite is busy, and an error of it is one of the store', async () => {
    const store = await opened({ file: await temporaryFile() });
    const version = store.version?.();
    const statement = raw(':memory:', (db) => Object.getPrototypeOf(db.prepare('select 1')));
    const get = vi.spyOn(statement, 'get');
    onTestFinished(() => get.mockRestore());
    const failing = (code: string) => () => {
      throw Object.assign(new Error(code), { code });
    };
    get.mockImplementationOnce(failing('SQLITE_BUSY_RECOVERY'));
    expect(store.version?.()).toBe(version);
    get.mockImplementationOnce(failing('SQLITE_IOERR_READ'));
    expect(() => store.version?.()).toThrow(expect.objectContaining({ code: 'DATABASE_IO' }));
  });

  it('does not exist where one process has the store to itself', () => {
    expect(openInMemory().version).toBeUndefined();
  });
});

describe('a database that another process opens for the first time, too', () => {
  it('is opened when that one has read what it needs', async () => {
    const file = await temporaryFile();
    const other = new Sqlite(file);
    other.exec('BEGIN; SELECT * FROM sqlite_master');
    setTimeout(() => other.close(), 200);
    const store = await opened({ file });
    expect(await store.query('listDrivers', {})).toEqual([]);
  });

  it('is opened when that one has written', async () => {
    const file = await temporaryFile();
    const other = new Sqlite(file);
    other.exec('BEGIN EXCLUSIVE');
    setTimeout(() => other.close(), 200);
    const store = await opened({ file });
    expect(await store.query('listDrivers', {})).toEqual([]);
  });
});
