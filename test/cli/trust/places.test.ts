import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TrustRecords } from '../../../src/trust/agreements.ts';
import { foreignPlaces, makeDatabase, rememberLog, whileMaking } from '../../../src/trust/places.ts';
import { answering, by, hasTerminals, type Workspace } from '../../support/cli.ts';
import { describeWith } from '../../support/needs.ts';
import { agree, foreignFolder, strict } from './support.ts';

/** A folder in which Detent has worked. */
async function usedFolder(files: Record<string, string> = {}): Promise<Workspace> {
  const folder = await foreignFolder(files);
  expect((await folder.detent(['run', 'what is 2+2?', '--quiet'])).code).toBe(0);
  return folder;
}

/** What a command says that would open the database. */
async function refusal(folder: Workspace, args: readonly string[] = ['runs', 'list']): Promise<string> {
  const { code, stdout, stderr } = await folder.detent(args);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  return stderr;
}

describe.concurrent('a .detent that this Detent did not make is not used:', () => {
  it('one that came with the folder', async () => {
    const origin = await usedFolder();
    const folder = await foreignFolder();
    await cp(origin.path('.detent'), folder.path('.detent'), { recursive: true });
    const before = await readdir(folder.path('.detent'));
    expect(await refusal(folder)).toContain('a folder that this Detent did not make and a database');
    expect(await refusal(folder, ['runs', 'resume', '--all'])).toContain('you have not approved');
    expect(await refusal(folder, ['memory', 'search', 'x'])).toContain('you have not approved');
    expect(await readdir(folder.path('.detent'))).toEqual(before);
  });

  it('a copy of the whole folder', async () => {
    const folder = await usedFolder();
    const copy = await foreignFolder();
    await cp(folder.folder, copy.path('copy'), { recursive: true });
    const { code } = await copy.detent(['runs', 'list', '--workspace', copy.path('copy')], { env: strict });
    expect(code).toBe(3);
  });

  it('a database that took the place of the one it made', async () => {
    const origin = await usedFolder();
    const folder = await usedFolder();
    await cp(origin.path('.detent/detent.db'), folder.path('.detent/new.db'));
    await rename(folder.path('.detent/new.db'), folder.path('.detent/detent.db'));
    const stderr = await refusal(folder);
    expect(stderr).toContain('contains a database that this Detent did not make, which');
  });

  it('a link to the .detent of another folder, although Detent made that', async () => {
    const origin = await usedFolder();
    const folder = await foreignFolder();
    await symlink(origin.path('.detent'), folder.path('.detent'));
    expect(await refusal(folder)).toContain('a folder that this Detent did not make');
  });

  it('a link to the database of another folder', async () => {
    const origin = await usedFolder();
    const folder = await usedFolder();
    await rm(folder.path('.detent/detent.db'));
    await symlink(origin.path('.detent/detent.db'), folder.path('.detent/detent.db'));
    expect(await refusal(folder)).toContain('a database');
  });

  it('a link to nowhere', async () => {
    const folder = await foreignFolder();
    await symlink('/nowhere/at/all', folder.path('.detent'));
    expect(await refusal(folder)).toContain('a folder that this Detent did not make');
  });

  it('a file of that name', async () => {
    const folder = await foreignFolder({ '.detent': 'x' });
    expect(await refusal(folder)).toContain('did not make');
  });

  it('a journal beside the database, which SQLite would play back', async () => {
    const folder = await usedFolder();
    await writeFile(folder.path('.detent/detent.db-journal'), 'x'.repeat(1_024));
    expect(await refusal(folder)).toContain('a journal that this Detent did not make');
  });

  it('a write-ahead log beside the database, which SQLite would play back', async () => {
    const origin = await foreignFolder();
    const provider = await answering({ text: 'half', ending: 'hang' });
    const live = origin.start(['run', 'hi', '--jsonl', ...by(provider)], { env: strict });
    await live.saw('stdout', /"seq":1/);
    live.kill('SIGKILL');
    await live.ended;
    const folder = await usedFolder();
    await rm(folder.path('.detent/detent.db-wal'), { force: true });
    await cp(origin.path('.detent/detent.db-wal'), folder.path('.detent/detent.db-wal'));
    expect(await refusal(folder)).toContain(
      'contains a write-ahead log that this Detent did not make, which',
    );
    expect((await origin.detent(['runs', 'list'])).code).toBe(0);
  });

  it('a database elsewhere in the folder, by a flag, a variable or the configuration', async () => {
    const origin = await usedFolder();
    const folder = await foreignFolder();
    await mkdir(folder.path('data'));
    await cp(origin.path('.detent/detent.db'), folder.path('data/x.db'));
    expect(await refusal(folder, ['runs', 'list', '--db', 'data/x.db'])).toContain('a database');
    const env = { ...strict, DETENT_DATABASE_FILE: 'data/x.db' };
    expect((await folder.detent(['runs', 'list'], { env })).code).toBe(3);
    await folder.write('detent.config.yaml', 'database: { file: data/x.db }\n');
    expect(await refusal(folder)).toContain('a database that this Detent did not make');
  });
});

describe.concurrent('a .detent that this Detent made', () => {
  it('is known before the first run is over: killed, it is resumed unasked', async () => {
    const folder = await foreignFolder();
    const live = folder.start(['run', 'what is 2+2?', '--jsonl'], { env: strict });
    await live.saw('stdout', /"seq":1/);
    live.kill('SIGKILL');
    await live.ended;
    expect((await folder.detent(['runs', 'resume', '--all', '--quiet'])).code).toBe(0);
  });

  it('may begin as an empty folder and an empty file of another', async () => {
    const folder = await foreignFolder({ '.detent/.gitignore': '*\n', '.detent/detent.db': '' });
    await rm(folder.path('.detent/detent.db'));
    expect((await folder.detent(['memory', 'search', 'x'])).code).toBe(0);
    await writeFile(folder.path('.detent/detent.db'), '');
    expect((await folder.detent(['run', 'what is 2+2?', '--quiet'])).code).toBe(0);
    expect((await folder.detent(['runs', 'list'])).stdout).toContain('done');
  });

  it('may be open in a program, whose write-ahead log is its own', async () => {
    const folder = await usedFolder();
    await folder.withLibrary(async (detent) => {
      await detent.run('what is 2+2?').result;
      expect((await folder.detent(['runs', 'list'], { ownProcess: true, env: strict })).code).toBe(0);
    });
  });

  it('may be deleted: the next is known as well', async () => {
    const folder = await usedFolder();
    await rm(folder.path('.detent'), { recursive: true });
    expect((await folder.detent(['run', 'what is 2+2?', '--quiet'])).code).toBe(0);
    expect((await folder.detent(['runs', 'list'])).code).toBe(0);
  });

  it('is known by three commands that make it at once', async () => {
    const folder = await foreignFolder();
    const ended = await Promise.all(
      [1, 2, 3].map(() =>
        folder.detent(['run', 'what is 2+2?', '--quiet'], { ownProcess: true, env: strict }),
      ),
    );
    // The database is busy for one that waits too long for the others: 6.
    for (const { code, stderr } of ended) {
      expect([0, 6]).toContain(code);
      expect(stderr).not.toContain('trusted');
    }
  });

  it('is known with a database outside of the folder, which a flag names', async () => {
    const folder = await foreignFolder();
    const other = await foreignFolder();
    const args = ['--db', other.path('x.db')];
    expect((await folder.detent(['run', 'what is 2+2?', '--quiet', ...args])).code).toBe(0);
    expect((await folder.detent(['runs', 'list', ...args])).code).toBe(0);
    expect((await other.detent(['runs', 'list', '--db', 'x.db'])).code).toBe(0);
  });

  it('is known where the workspace is the folder of the home: DETENT_HOME is the .detent in it', async () => {
    const folder = await foreignFolder();
    const env = { ...strict, DETENT_HOME: folder.path('.detent') };
    await mkdir(folder.path('.detent'), { mode: 0o700 });
    await writeFile(folder.path('.detent/skills-approved.json'), '{}');
    expect((await folder.detent(['run', 'what is 2+2?', '--quiet'], { env })).code).toBe(0);
    expect((await folder.detent(['runs', 'list'], { env })).code).toBe(0);
  });
});

describe('a .detent that is younger than two seconds', () => {
  afterEach(() => vi.useRealTimers());

  async function placesOf(folder: Workspace) {
    const env = { DETENT_HOME: (await foreignFolder()).path('home') };
    const places = { workspace: folder.folder, database: folder.path('.detent/detent.db'), env };
    return { ...places, state: folder.path('.detent'), records: new TrustRecords(env) };
  }

  it('is not looked at again when no Detent announced it', async () => {
    const places = await placesOf(await foreignFolder({ '.detent/detent.db': 'x' }));
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    expect((await foreignPlaces(places)).map(({ what }) => what)).toEqual(['a folder', 'a database']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is looked at again when a Detent may be making it anew', async () => {
    const places = await placesOf(await foreignFolder({ '.detent/notes': 'x' }));
    const at = new Date().toISOString();
    places.records.keepPlace({ place: places.state, identity: 'of an earlier one', at });
    const found = foreignPlaces(places);
    // It has looked once, before its first await: now the other command says what it made.
    places.records.keepPlace({ place: places.state, identity: null, at });
    expect(await found).toEqual([]);
  });

  it('is known while a command of this user makes it', async () => {
    const folder = await foreignFolder();
    const places = await placesOf(folder);
    await whileMaking(places, async () => {
      await mkdir(places.state);
      await folder.write('.detent/memory.db', 'x');
      expect(await foreignPlaces(places)).toEqual([]);
    });
    expect(await foreignPlaces(places)).toEqual([]);
  });

  it('has a journal while its database is made, and no longer', async () => {
    const folder = await foreignFolder();
    const places = await placesOf(folder);
    makeDatabase(places);
    await folder.write('.detent/detent.db-journal', 'x');
    expect(await foreignPlaces(places)).toEqual([]);
    rememberLog(places);
    expect((await foreignPlaces(places)).map(({ what }) => what)).toEqual(['a journal']);
  });

  it('is not known when the command that could have made it made none', async () => {
    const folder = await foreignFolder();
    const places = await placesOf(folder);
    await whileMaking(places, async () => {});
    expect(places.records.places()).toEqual([]);
    await mkdir(places.state);
    await folder.write('.detent/memory.db', 'x');
    expect(await foreignPlaces(places)).toHaveLength(1);
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')(
  'a person who agrees to a .detent',
  () => {
    it('is told that work waits in it, and uses it from then on', async () => {
      const origin = await usedFolder();
      const folder = await foreignFolder();
      await cp(origin.path('.detent'), folder.path('.detent'), { recursive: true });
      const asked = await agree(folder);
      expect(asked).toMatch(/detent\.db: a database that this Detent did not make; \d+ KB/);
      expect(asked).toContain('work that waits in it can continue without asking');
      expect((await folder.detent(['runs', 'list'])).stdout).toContain('done');
    });
  },
);
