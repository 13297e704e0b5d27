import { appendFile, mkdir, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { activate, isUnreadable, openIndex } from '../../../src/memory/index/database.ts';
import { syncPass } from '../../../src/memory/index/syncer.ts';
import { itDeep } from '../../support/deep.ts';
import { writeFiles } from '../../support/files.ts';
import { ask, indexOf, pathsFor, patient, workspaceWith } from '../support.ts';

const files = {
  'MEMORY.md': '# Memory\n\n- The user is called Ada.\n',
  'memory/2026-03-05.md': '# 2026-03-05\n\n- We booked the hotel Seaside in Lisbon.\n',
  'memory/projects/boat.md': '# Boat\n\nThe mast is made of spruce.\n',
  'notes.md': 'The spruce outside is no memory.\n',
  'memory/.hidden.md': 'spruce, but hidden\n',
  'memory/picture.png': 'spruce',
};

describe('an index', () => {
  it('has MEMORY.md and the Markdown under memory/, and nothing else', async () => {
    const service = indexOf(await workspaceWith(files));
    expect(await service.status(patient)).toMatchObject({ indexed: 3, chunks: 3, pending: 0, problems: [] });
    expect(await pathsFor(service, 'spruce')).toEqual(['memory/projects/boat.md']);
  });

  it('hears of every kind of change before the next search', async () => {
    const folder = await workspaceWith(files);
    const service = indexOf(folder);
    await service.status(patient);
    const at = (path: string) => join(folder, path);

    await appendFile(at('MEMORY.md'), '- She sails a ketch.\n');
    expect(await pathsFor(service, 'ketch')).toEqual(['MEMORY.md']);

    await writeFiles(folder, { 'memory/new/deep.md': 'a catamaran\n' });
    expect(await pathsFor(service, 'catamaran')).toEqual(['memory/new/deep.md']);

    await writeFile(at('memory/draft'), 'a trimaran\n');
    await rename(at('memory/draft'), at('memory/new/deep.md'));
    expect(await pathsFor(service, 'trimaran')).toEqual(['memory/new/deep.md']);
    expect(await pathsFor(service, 'catamaran')).toEqual([]);

    await rename(at('memory/new'), at('memory/old'));
    expect(await pathsFor(service, 'trimaran')).toEqual(['memory/old/deep.md']);

    await rm(at('memory/old'), { recursive: true });
    expect(await pathsFor(service, 'trimaran')).toEqual([]);
  });

  it('hears of a change that leaves size and time as they were', async () => {
    const folder = await workspaceWith({ 'memory/a.md': 'the colour is blue\n' });
    const service = indexOf(folder);
    const path = join(folder, 'memory/a.md');
    const { atime, mtime } = await stat(path);
    expect(await pathsFor(service, 'blue')).toHaveLength(1);
    await writeFile(path, 'the colour is teal\n');
    await utimes(path, atime, mtime);
    expect(await pathsFor(service, 'teal')).toHaveLength(1);
  });

  it('touches no row of what has not changed', async () => {
    const section = (n: number) => `## Part ${n}\n\n${`Words about subject number ${n}. `.repeat(40)}\n\n`;
    const text = Array.from({ length: 12 }, (_, n) => section(n)).join('');
    const folder = await workspaceWith({ 'memory/long.md': text });
    const service = indexOf(folder);
    await service.status(patient);
    const ids = () => {
      const db = new Sqlite(join(folder, '.detent/memory.db'), { readonly: true });
      const rows = db.prepare('SELECT id, start FROM chunks_1 ORDER BY start').all() as {
        id: number;
        start: number;
      }[];
      db.close();
      return rows;
    };
    const before = ids();
    await writeFile(
      join(folder, 'memory/long.md'),
      text.replace('## Part 6\n', '## Part 6\n\nInserted here.\n'),
    );
    await service.status(patient);
    const kept = ids().filter(({ id }) => before.some((row) => row.id === id));
    expect(kept.length).toBe(before.length - 1);
    // The lines below it have moved.
    expect(kept.at(-1)?.start).toBe((before.at(-1)?.start ?? 0) + 2);
  });

  it('is made again by the next search after it was deleted', async () => {
    const folder = await workspaceWith(files);
    const service = indexOf(folder);
    const before = await ask(service, 'spruce mast');
    await rm(join(folder, '.detent'), { recursive: true });
    expect(await ask(service, 'spruce mast')).toEqual(before);
    expect(await readdir(join(folder, '.detent'))).toContain('memory.db');
  });

  it.each([
    ['a file that is no database', 'garbage '.repeat(2_000)],
    ['an empty file', ''],
  ])('takes the place of %s', async (_, content) => {
    const folder = await workspaceWith({ ...files, '.detent/memory.db': content });
    expect(await pathsFor(indexOf(folder), 'spruce')).toEqual(['memory/projects/boat.md']);
  });

  it('takes the place of one of another format, or of one that is damaged', async () => {
    const folder = await workspaceWith(files);
    const file = join(folder, '.detent/memory.db');
    await indexOf(folder).status(patient);
    for (const damage of ["UPDATE meta SET value = '0'", 'DROP TABLE fts_1', 'DROP TABLE chunks_1']) {
      const db = new Sqlite(file);
      db.exec(damage);
      db.close();
      expect(await pathsFor(indexOf(folder), 'spruce'), damage).toEqual(['memory/projects/boat.md']);
    }
  });

  itDeep('made anew gives the same answers, and the old one is searched until then', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [
        `memory/${n}.md`,
        `# Note ${n}\n\nThe number is ${n}, the word spruce.\n`,
      ]),
    );
    const folder = await workspaceWith({ ...files, ...many });
    const service = indexOf(folder);
    const queries = ['spruce', 'number 17', 'hotel Lisbon', 'Ada', 'note'];
    const answers = () => Promise.all(queries.map((query) => ask(service, query)));
    const before = await answers();
    const rebuilt = service.index(true);
    const meanwhile = await service.search({ queries: ['hotel Lisbon'], limit: 10, waitMs: 0 });
    expect(meanwhile.results[0]?.path).toBe('memory/2026-03-05.md');
    expect(await rebuilt).toMatchObject({ indexed: 303, pending: 0 });
    expect(await answers()).toEqual(before);
    const db = new Sqlite(join(folder, '.detent/memory.db'), { readonly: true });
    expect(db.prepare('SELECT id, state FROM generations').all()).toEqual([{ id: 2, state: 'active' }]);
    expect(db.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name LIKE 'chunks_1'").get()).toEqual({
      n: 0,
    });
    db.close();
  });

  it('of another way to cut or to segment is made anew, and serves until that is done', async () => {
    const folder = await workspaceWith(files);
    const first = indexOf(folder);
    await first.status(patient);
    await first.close();
    const db = new Sqlite(join(folder, '.detent/memory.db'));
    db.exec("UPDATE generations SET identity = 'of an older version'");
    db.close();
    const service = indexOf(folder);
    expect(await pathsFor(service, 'spruce')).toEqual(['memory/projects/boat.md']);
    const after = new Sqlite(join(folder, '.detent/memory.db'), { readonly: true });
    expect(after.prepare('SELECT id, state FROM generations').all()).toEqual([{ id: 2, state: 'active' }]);
    after.close();
  });

  it('says which files it leaves out', async () => {
    const folder = await workspaceWith({
      ...files,
      'memory/binary.md': 'a\0b',
      'memory/other.md': 'spruce\n',
    });
    const service = indexOf(folder);
    const { problems } = await service.status(patient);
    expect(problems).toEqual([{ path: 'memory/binary.md', problem: 'is not text (it has NUL bytes)' }]);
    const { stale, reason } = await ask(service, 'spruce');
    expect({ stale, reason }).toMatchObject({
      stale: true,
      reason: expect.stringContaining('memory/binary.md'),
    });
  });

  it('follows no link', async () => {
    const outside = await workspaceWith({ 'secret.md': 'spruce secret\n' });
    const folder = await workspaceWith({ 'memory/a.md': 'spruce\n' });
    await symlink(join(outside, 'secret.md'), join(folder, 'memory/link.md'));
    await symlink(outside, join(folder, 'memory/folder'));
    expect(await pathsFor(indexOf(folder), 'spruce secret')).toEqual(['memory/a.md']);
    const linked = await workspaceWith({});
    await symlink(outside, join(linked, 'memory'));
    expect((await ask(indexOf(linked), 'spruce')).results).toEqual([]);
  });

  it('hears of changes by itself when it watches', async () => {
    const folder = await workspaceWith(files);
    const service = indexOf(folder, { isWatching: true });
    await service.status(patient);
    await mkdir(join(folder, 'memory/later'));
    await writeFiles(folder, { 'memory/later/a.md': 'a schooner\n', 'memory/b.md': 'a schooner\n' });
    // No search runs meanwhile, so only the watcher can have reported the change.
    const chunks = () => {
      const db = new Sqlite(join(folder, '.detent/memory.db'), { readonly: true });
      const { n } = db.prepare('SELECT count(*) AS n FROM chunks_1').get() as { n: number };
      db.close();
      return n;
    };
    await vi.waitFor(() => expect(chunks()).toBe(5), { timeout: 60_000, interval: 50 });
  });

  it('is shared by several at once', async () => {
    const folder = await workspaceWith(files);
    const services = Array.from({ length: 4 }, () => indexOf(folder));
    for (let round = 0; round < 5; round++) {
      await appendFile(join(folder, 'MEMORY.md'), `- word${round} of round ${round}\n`);
      const found = await Promise.all(services.map((service) => pathsFor(service, `word${round}`)));
      expect(found).toEqual(services.map(() => ['MEMORY.md']));
    }
  });
});

describe('a rebuild that has died', () => {
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [
      `memory/${n}.md`,
      `# Note ${n}\n\nThe number is ${n}, the word spruce.\n`,
    ]),
  );
  const query = 'number 17 spruce';

  interface Row {
    id: number;
    state: string;
  }

  function inFile<T>(folder: string, look: (db: Sqlite.Database) => T): T {
    // The holder is in this thread, and would wait for us.
    const db = new Sqlite(join(folder, '.detent/memory.db'), { timeout: 0 });
    try {
      return look(db);
    } finally {
      db.close();
    }
  }
  const rows = (folder: string) =>
    inFile(folder, (db) => db.prepare('SELECT id, state FROM generations ORDER BY id').all() as Row[]);
  const filesOf = (folder: string, id: number) =>
    inFile(folder, (db) => db.prepare(`SELECT count(*) FROM files_${id}`).pluck().get() as number);
  const age = (folder: string, minutes: number) =>
    inFile(folder, (db) =>
      db.prepare('UPDATE generations SET progress_at = progress_at - ?').run(minutes * 60_000),
    );
  const tablesOf = (folder: string, id: number) =>
    inFile(folder, (db) =>
      db.prepare("SELECT name FROM sqlite_master WHERE name LIKE '%\\_' || ? ESCAPE '\\'").all(id),
    );

  /** A folder with an index, and another one of which a part is built. */
  async function halfBuilt() {
    const folder = await workspaceWith(many);
    const before = indexOf(folder);
    await before.status(patient);
    const expected = await ask(before, query);
    await before.close();
    const dying = indexOf(folder);
    const rebuilt = dying.index(true).catch(() => {});
    await vi.waitFor(() => expect(filesOf(folder, 2)).toBeGreaterThan(0), { timeout: 60_000, interval: 1 });
    await dying.close();
    await rebuilt;
    expect(rows(folder)).toEqual([
      { id: 1, state: 'active' },
      { id: 2, state: 'building' },
    ]);
    expect(filesOf(folder, 2)).toBeLessThan(400);
    return { folder, expected: expected.results.map(({ path, snippet }) => ({ path, snippet })) };
  }

  itDeep('is gone on with by the next one', async () => {
    const { folder, expected } = await halfBuilt();
    await writeFile(join(folder, 'memory/3.md'), 'a schooner\n');
    await rm(join(folder, 'memory/5.md'));
    const service = indexOf(folder);
    expect(await service.index(true)).toMatchObject({ indexed: 399, pending: 0 });
    expect(rows(folder)).toEqual([{ id: 2, state: 'active' }]);
    expect((await ask(service, query)).results).toMatchObject(expected);
    expect(await pathsFor(service, 'schooner')).toEqual(['memory/3.md']);
  });

  it('has each file compared with what it wrote of it, whatever its times say', async () => {
    const { folder } = await halfBuilt();
    // Checked so long after the last change that nothing would look at it again.
    inFile(folder, (db) =>
      db.exec("UPDATE files_2 SET hash = 'of something else', checked_at = checked_at + 100000"),
    );
    const service = indexOf(folder);
    await service.index(true);
    const hashes = inFile(folder, (db) =>
      db.prepare("SELECT count(*) FROM files_2 WHERE hash = 'of something else'").pluck().get(),
    );
    expect(hashes).toBe(0);
  });

  itDeep('is kept for a while by those who only search, and then dropped', async () => {
    const { folder, expected } = await halfBuilt();
    const service = indexOf(folder);
    age(folder, 50);
    expect((await ask(service, query)).results).toMatchObject(expected);
    expect(rows(folder)).toHaveLength(2);
    age(folder, 20);
    expect((await ask(service, query)).results).toMatchObject(expected);
    expect(rows(folder)).toEqual([{ id: 1, state: 'active' }]);
    expect(tablesOf(folder, 2)).toEqual([]);
  });

  itDeep('is dropped, too, when the clock has been set back since', async () => {
    const { folder } = await halfBuilt();
    age(folder, -100_000);
    await indexOf(folder).status(patient);
    expect(rows(folder)).toEqual([{ id: 1, state: 'active' }]);
  });

  it('loses nothing to another process while it is alive', async () => {
    const folder = await workspaceWith(many);
    const [one, other, third] = [indexOf(folder), indexOf(folder), indexOf(folder)];
    const expected = (await ask(one, query)).results;
    const [first, second] = await Promise.all([
      one.index(true),
      other.index(true),
      (async () => {
        for (let n = 0; n < 20; n++) expect((await ask(third, query)).results).toEqual(expected);
      })(),
    ]);
    expect([first.indexed, second.indexed]).toEqual([400, 400]);
    expect(rows(folder)).toEqual([{ id: expect.any(Number), state: 'active' }]);
    for (const service of [one, other, third]) expect((await ask(service, query)).results).toEqual(expected);
  });

  itDeep('that only slept, and counted as dead, fails, and takes nothing from the active one', async () => {
    const folder = await workspaceWith(many);
    const service = indexOf(folder);
    const expected = (await ask(service, query)).results;
    const { write, close } = openIndex(join(folder, '.detent/memory.db'));
    const sleeper = syncPass(write, { root: folder, tree: 'memory', isAnew: true });
    while (rows(folder).length < 2) sleeper.step(1);
    age(folder, 100);
    await service.status(patient);
    expect(rows(folder)).toEqual([{ id: 1, state: 'active' }]);
    const woken = () => {
      while (!sleeper.step(10));
    };
    expect(woken).toThrow(expect.toSatisfy(isUnreadable));
    expect(() => activate(write, 2)).toThrow(expect.toSatisfy(isUnreadable));
    close();
    expect((await ask(service, query)).results).toEqual(expected);
    await service.index(true);
    // No number is given twice.
    expect(rows(folder)).toEqual([{ id: 3, state: 'active' }]);
  });
});
