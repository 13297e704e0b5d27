import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDetent, type Detent } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { temporaryWorkspace } from '../../support/detent.ts';

let workspace: string;
let detent: Detent;
const at = (...names: string[]) => join(workspace, ...names);
const database = () => at('.detent', 'detent.db');

function open(file: string, model = scriptedModel([])): Detent {
  const opened = createDetent({
    workspace,
    database: { file },
    env: {},
    model: 'test/script',
    models: { test: model },
    tools: { allowed: ['write_file'] },
  });
  onTestFinished(() => opened.close());
  return opened;
}

const asks = { toolCalls: [{ name: 'write_file', arguments: { path: 'x', content: 'x' } }] };

beforeEach(async () => {
  workspace = await temporaryWorkspace();
  detent = open(database(), scriptedModel([{ text: 'one' }, asks]));
  await detent.run('first').result;
});

describe('a backup', () => {
  it('is the state at its moment, in one private file, while the database is driven', async () => {
    const writes = Array.from({ length: 300 }, (_, i) => detent.sessions.clear(`s${i}`).catch(() => {}));
    const [made] = await Promise.all([detent.backup(at('copy.db')), ...writes]);
    expect(made).toEqual({ file: at('copy.db'), bytes: statSync(at('copy.db')).size });
    expect(statSync(at('copy.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(workspace)).toEqual(['.detent', 'copy.db']);
    const copy = new Sqlite(at('copy.db'));
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    copy.close();
    expect(await open(at('copy.db')).runs.list()).toMatchObject([{ status: 'done', prompt: 'first' }]);
  });

  it('leaves the locks of the database as they are', async () => {
    const before = await detent.backup(at('copy.db'));
    await detent.backup(before.file, { overwrite: true });
    const other = new Sqlite(database());
    other.pragma('busy_timeout = 0');
    expect(() => other.pragma('journal_mode = DELETE')).toThrow(/locked/);
    other.close();
  });

  it('is a database at another place: its unfinished runs wait to be taken over', async () => {
    const { runId } = await detent.run('second').result;
    await detent.backup(at('copy.db'));
    const copy = open(at('copy.db'));
    await expect(copy.runs.resume({ runId })).rejects.toMatchObject({ code: 'DATABASE_MOVED' });
    expect(await copy.runs.show(runId)).toMatchObject({ status: 'waiting' });
  });

  it('replaces no file, but for one that it may', async () => {
    writeFileSync(at('notes.txt'), 'mine');
    await expect(detent.backup(at('notes.txt'))).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    await detent.backup(at('notes.txt'), { overwrite: true });
    expect(await open(at('notes.txt')).runs.list()).toHaveLength(1);
  });

  it('leaves no log of an earlier database beside it', async () => {
    await detent.backup(at('copy.db'));
    writeFileSync(at('copy.db-journal'), 'stale');
    await detent.backup(at('copy.db'), { overwrite: true });
    expect(existsSync(at('copy.db-journal'))).toBe(false);
  });

  it('never replaces a database that is open, this one least of all', async () => {
    await detent.backup(at('copy.db'));
    await open(at('copy.db')).runs.list();
    await mkdir(at('in'));
    await symlink(database(), at('in', 'link.db'));
    for (const file of [database(), `${database()}-wal`, at('in', 'link.db'), at('copy.db')])
      await expect(detent.backup(file, { overwrite: true }), file).rejects.toMatchObject({
        code: 'FILE_EXISTS',
      });
    const other = new Sqlite(at('other.db'));
    onTestFinished(() => void other.close());
    other.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)');
    await expect(detent.backup(at('other.db'), { overwrite: true })).rejects.toMatchObject({
      code: 'DATABASE_BUSY',
    });
  });

  it('says what it cannot do, and leaves nothing behind', async () => {
    await expect(detent.backup(at('no', 'copy.db'))).rejects.toMatchObject({
      code: 'CANNOT_WRITE',
      message: `${at('no', 'copy.db')} cannot be written: there is no folder ${at('no')}; make it first`,
    });
    await expect(detent.backup(dirname(database()), { overwrite: true })).rejects.toMatchObject({
      code: 'CANNOT_WRITE',
    });
    await expect(detent.backup('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    const without = createDetent({ store: 'in-process', env: {} });
    await expect(without.backup(at('x.db'))).rejects.toMatchObject({ code: 'NO_DATABASE_FILE' });
    await without.close();
    expect(readdirSync(workspace)).toEqual(['.detent']);
  });
});
