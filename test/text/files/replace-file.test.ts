import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { holdDatabase } from '../../../src/text/files/open-databases.ts';
import { replaceFile, replaceFileSync } from '../../../src/text/files/replace-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'detent-files-'));
  file = join(folder, 'a.txt');
  writeFileSync(file, 'old');
});

async function* broken(): AsyncGenerator<string> {
  yield 'half';
  throw new Error('torn');
}

describe('a file that is replaced', () => {
  it('has the new content, and nothing else is left', async () => {
    expect(await replaceFile(file, 'new')).toBe(true);
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['new', ['a.txt']]);
    replaceFileSync(file, 'newer', 0o600);
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['newer', ['a.txt']]);
  });

  it('has the permissions that were asked for, whatever the old one had', async () => {
    await replaceFile(file, 'new', { mode: 0o600 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await replaceFile(file, 'new', { prepare: (handle) => handle.chmod(0o640) });
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('stays as it was when its content cannot be had, or must not take the place', async () => {
    await expect(replaceFile(file, broken())).rejects.toThrow('torn');
    expect(await replaceFile(file, 'new', { mayReplace: () => false })).toBe(false);
    const refuses = () => Promise.reject(new Error('no'));
    await expect(replaceFile(file, 'new', { mayReplace: refuses })).rejects.toThrow('no');
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['a.txt']]);
  });

  it('is readable while its draft is written', async () => {
    const draft = join(folder, 'draft');
    await replaceFile(file, 'new', {
      draft,
      mayReplace() {
        expect([readFileSync(file, 'utf8'), readFileSync(draft, 'utf8')]).toEqual(['old', 'new']);
        return true;
      },
    });
  });

  it('stays as it was when it is a database that the process has open, even if that was opened meanwhile', async () => {
    async function* opening() {
      const held = holdDatabase(file, 'sqlite');
      onTestFinished(held.close);
      yield 'new';
    }
    await expect(replaceFile(file, opening())).rejects.toMatchObject({ code: 'EDATABASE' });
    expect(() => replaceFileSync(file, 'new', 0o600)).toThrow(expect.objectContaining({ code: 'EDATABASE' }));
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['a.txt']]);
  });
});
