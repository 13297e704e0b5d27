import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  isInOwnFolder,
  makeFolderInHome,
  makePrivateFile,
  makePrivateFolder,
} from '../../../src/text/files/private-files.ts';
import { describeWith } from '../../support/needs.ts';

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'detent-private-'));
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  vi.unstubAllEnvs();
});

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
const below = (...names: string[]) => join(folder, ...names);

describeWith(
  existsSync('/proc'),
  'this system has no /proc',
  true,
)('a folder in /proc', () => {
  it('is refused, and soon: nobody can make one', () => {
    expect(() => makePrivateFolder('/proc/detent/below')).toThrow('ENOENT');
  });
});

describe('the folder .detent', () => {
  it.each([0o000, 0o022, 0o277])('is open to its owner alone, with umask %o', (mask) => {
    process.umask(mask);
    makePrivateFolder(below('.detent', 'tenants', '2'));
    for (const path of ['.detent', '.detent/tenants', '.detent/tenants/2'])
      expect(modeOf(below(path))).toBe('700');
  });

  it('is ignored by git, unless the user said otherwise', () => {
    makePrivateFolder(below('.detent'));
    expect(readFileSync(below('.detent', '.gitignore'), 'utf8')).toBe('*\n');
    writeFileSync(below('.detent', '.gitignore'), '!notes\n');
    makePrivateFolder(below('.detent'));
    expect(readFileSync(below('.detent', '.gitignore'), 'utf8')).toBe('!notes\n');
  });

  it('becomes private, and all that is in it, when an older Detent made it', () => {
    mkdirSync(below('.detent', 'tenants'), { recursive: true, mode: 0o755 });
    writeFileSync(below('.detent', 'detent.db'), '', { mode: 0o644 });
    writeFileSync(below('.detent', 'tenants', 'read-only'), '', { mode: 0o444 });
    makePrivateFolder(below('.detent'));
    const files = ['.detent', '.detent/tenants', '.detent/detent.db', '.detent/tenants/read-only'];
    expect(files.map((file) => modeOf(below(file)))).toEqual(['700', '700', '600', '400']);
  });

  it('changes nothing behind a link', () => {
    const elsewhere = below('elsewhere');
    mkdirSync(elsewhere, { mode: 0o755 });
    symlinkSync(elsewhere, below('.detent'));
    makePrivateFolder(below('.detent'));
    expect(modeOf(elsewhere)).toBe('755');
  });
});

describe('another folder', () => {
  it('stays as it is when it exists, and is private when it is made', () => {
    mkdirSync(below('data'), { mode: 0o755 });
    makePrivateFolder(below('data', 'mine', 'deep'));
    expect([
      modeOf(below('data')),
      modeOf(below('data', 'mine')),
      modeOf(below('data', 'mine', 'deep')),
    ]).toEqual(['755', '700', '700']);
    expect(existsSync(below('data', '.gitignore'))).toBe(false);
    expect(isInOwnFolder(below('data'))).toBe(false);
  });
});

describe("the folder of the user's settings", () => {
  it('becomes private, without a .gitignore', () => {
    mkdirSync(below('home'), { mode: 0o755 });
    writeFileSync(below('home', 'skills-approved.json'), '{}', { mode: 0o644 });
    makeFolderInHome(below('home'), below('home', 'mcp'));
    expect(['home', 'home/mcp', 'home/skills-approved.json'].map((path) => modeOf(below(path)))).toEqual([
      '700',
      '700',
      '600',
    ]);
    expect(existsSync(below('home', '.gitignore'))).toBe(false);
  });

  it('stays as it is when other programs use it, too', () => {
    mkdirSync(below('shared'));
    chmodSync(below('shared'), 0o1777);
    makeFolderInHome(below('shared'), below('shared'));
    expect(modeOf(below('shared'))).toBe('1777');
    mkdirSync(below('user'), { mode: 0o755 });
    vi.stubEnv('HOME', below('user'));
    makeFolderInHome(below('user'), below('user'));
    expect(modeOf(below('user'))).toBe('755');
  });
});

describe('a private file', () => {
  it.each([0o000, 0o277])('is readable and writable for its owner alone, with umask %o', (mask) => {
    process.umask(mask);
    makePrivateFile(below('detent.db'));
    expect(modeOf(below('detent.db'))).toBe('600');
  });

  it('loses the permissions of others, and keeps its content and what the owner may do', () => {
    writeFileSync(below('a'), 'kept', { mode: 0o444 });
    makePrivateFile(below('a'));
    expect([modeOf(below('a')), readFileSync(below('a'), 'utf8')]).toEqual(['400', 'kept']);
  });

  it('is not made through a link that leads nowhere', () => {
    symlinkSync(below('nothing'), below('link'));
    makePrivateFile(below('link'));
    expect(existsSync(below('nothing'))).toBe(false);
  });

  it('keeps the lock that SQLite holds on it in this process', async () => {
    const { default: Sqlite } = await import('better-sqlite3');
    const file = below('.detent', 'detent.db-lock');
    makePrivateFolder(dirname(file));
    makePrivateFile(file);
    using holder = opened(new Sqlite(file));
    holder.db.exec('BEGIN EXCLUSIVE');
    chmodSync(file, 0o644);
    makePrivateFile(file);
    const { spawnSync } = await import('node:child_process');
    const script = `const S = require('better-sqlite3'); const d = new S(${JSON.stringify(file)}); d.pragma('busy_timeout=0'); d.exec('BEGIN EXCLUSIVE')`;
    const other = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(other.stderr).toContain('SQLITE_BUSY');
    expect(modeOf(file)).toBe('600');
  });
});

function opened<T extends { close(): void }>(db: T) {
  return { db, [Symbol.dispose]: () => void db.close() };
}
