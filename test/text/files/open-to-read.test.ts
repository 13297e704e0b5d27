import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { holdDatabase, isOfOpenDatabase } from '../../../src/text/files/open-databases.ts';
import { openToRead, readWhole, readWholeSync } from '../../../src/text/files/open-to-read.ts';
import { describeWith } from '../../support/needs.ts';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detent-read-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

describe('reading a file', () => {
  it('gives its content, through a link too', async () => {
    writeFileSync(at('a'), 'text');
    symlinkSync('a', at('link'));
    expect(readWholeSync(at('link')).toString()).toBe('text');
    expect((await readWhole(at('a'))).toString()).toBe('text');
  });

  it('fails as the file system does, with the path as it was given', async () => {
    symlinkSync('a', at('link'));
    mkdirSync(at('b'));
    await expect(openToRead(at('a'))).rejects.toMatchObject({
      code: 'ENOENT',
      message: expect.stringContaining(at('a')),
    });
    writeFileSync(at('a'), '');
    await expect(openToRead(at('link'), { followsLink: false })).rejects.toMatchObject({
      code: 'ELOOP',
      message: expect.stringContaining(at('link')),
    });
    expect(() => readWholeSync(at('b'))).toThrow(expect.objectContaining({ code: 'EISDIR' }));
  });
});

describeWith(existsSync('/usr/bin/mkfifo'), 'no /usr/bin/mkfifo')('reading a pipe', () => {
  it('does not wait for its writer', async () => {
    execFileSync('/usr/bin/mkfifo', [at('pipe')]);
    await using pipe = await openToRead(at('pipe'));
    expect((await pipe.stat()).isFIFO()).toBe(true);
  });
});

describe('a file of a database that the process has open', () => {
  const refused = { code: 'EDATABASE' };
  beforeEach(() => {
    mkdirSync(at('drivers'));
    for (const name of ['data.db', 'data.db-wal', 'data.db-shm', 'drivers/d1.lock'])
      writeFileSync(at(name), 'x');
    const held = holdDatabase(at('data.db'), 'sqlite');
    onTestFinished(held.close);
  });

  it.each(['data.db', 'data.db-wal', 'data.db-shm', 'drivers/d1.lock'])('is not opened: %s', async (name) => {
    linkSync(at(name), at('hard'));
    symlinkSync(name, at('soft'));
    for (const path of [name, 'hard', 'soft']) {
      await expect(readWhole(at(path)), path).rejects.toMatchObject(refused);
      expect(() => readWholeSync(at(path)), path).toThrow(expect.objectContaining(refused));
    }
  });

  it('is not opened when it was moved', () => {
    renameSync(at('data.db'), at('moved'));
    expect(() => readWholeSync(at('moved'))).toThrow(expect.objectContaining(refused));
  });

  it('is not opened when it was made since', () => {
    writeFileSync(at('data.db-journal'), '');
    linkSync(at('data.db-journal'), at('hard'));
    for (const name of ['data.db-journal', 'hard'])
      expect(() => readWholeSync(at(name))).toThrow(expect.objectContaining(refused));
  });

  it('is not taken for a later file to which the system gave the inode of a deleted lock', () => {
    const { dev, ino } = statSync(at('drivers/d1.lock'), { bigint: true });
    rmSync(at('drivers/d1.lock'));
    expect(isOfOpenDatabase(at('later.txt'), { dev, ino, nlink: 1n })).toBe(false);
  });

  it('leaves others alone', () => {
    for (const name of ['data.db.md', 'data.db-notes', 'drivers/usb.c']) {
      writeFileSync(at(name), 'text');
      expect(readWholeSync(at(name)).toString()).toBe('text');
    }
  });
});

describe('a database that is closed', () => {
  it('is a file like all others', () => {
    writeFileSync(at('data.db'), 'x');
    holdDatabase(at('data.db'), 'sqlite').close();
    expect(readWholeSync(at('data.db')).toString()).toBe('x');
  });
});
