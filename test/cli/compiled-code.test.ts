import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type CompiledCode, removeUnusedCode } from '../../src/cli/compiled-code.ts';
import { programFile } from '../support/program.ts';

/** A start as a user makes it: tests share a folder for compiled code, which this one does not name. */
async function helpWith(home: string): Promise<string> {
  const run = promisify(execFile);
  const env = { DETENT_HOME: home, PATH: process.env.PATH };
  return (await run(process.execPath, [programFile('src/cli/main'), '--help'], { env })).stdout;
}

const newFolder = () => mkdtemp(join(tmpdir(), 'detent-home-'));

describe('compiled code', () => {
  it('is kept in DETENT_HOME, in a folder that only its owner can open', async () => {
    const home = await newFolder();
    expect(await helpWith(home)).toContain('Usage: detent');
    const { mode } = await stat(join(home, 'cache'));
    expect((mode & 0o777).toString(8)).toBe('700');
    expect((await readdir(join(home, 'cache'), { recursive: true })).length).toBeGreaterThan(2);
  });

  it('makes no DETENT_HOME where there is none', async () => {
    const folder = await newFolder();
    expect(await helpWith(join(folder, 'none'))).toContain('Usage: detent');
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not kept where it cannot be written, and the command works', async () => {
    const file = join(await newFolder(), 'a-file');
    await writeFile(file, '');
    expect(await helpWith(file)).toContain('Usage: detent');
    const home = await newFolder();
    await mkdir(join(home, 'cache'));
    await writeFile(join(home, 'cache/compiled'), 'a file in its place');
    await chmod(home, 0o500);
    expect(await helpWith(home)).toContain('Usage: detent');
  });
});

describe('compiled code of earlier versions', () => {
  const dayMs = 24 * 3_600_000;
  const now = Date.now();

  /** A home that has the folders of `ages`, in days since their last use. */
  async function homeWith(ages: Readonly<Record<string, number>>): Promise<string> {
    const home = await newFolder();
    for (const [name, days] of Object.entries(ages)) {
      const folder = join(home, 'cache/compiled', name);
      await mkdir(join(folder, 'v24.0.0-x64'), { recursive: true });
      await writeFile(join(folder, 'v24.0.0-x64/0a1b'), 'code');
      const at = new Date(now - days * dayMs);
      await utimes(folder, at, at);
    }
    return home;
  }
  const kept = async (home: string) => (await readdir(join(home, 'cache/compiled'))).sort();
  const own = (home: string, isNew = false): CompiledCode => ({
    folder: join(home, 'cache/compiled/own'),
    isNew,
  });

  it('is removed when no start has used it for a month', async () => {
    const home = await homeWith({ own: 2, older: 31, newer: 29 });
    removeUnusedCode(own(home), now);
    expect(await kept(home)).toEqual(['newer', 'own']);
  });

  it('is looked for once a day, and when a version starts for the first time', async () => {
    const home = await homeWith({ own: 0.5, older: 31 });
    removeUnusedCode(own(home), now);
    expect(await kept(home)).toEqual(['older', 'own']);
    removeUnusedCode(own(home, true), now);
    expect(await kept(home)).toEqual(['own']);
    expect((await stat(own(home).folder)).mtimeMs).toBeCloseTo(now, -2);
  });

  it('is removed ten at a time, and never what a link leads to', async () => {
    const home = await homeWith({
      own: 2,
      ...Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`o${i}`, 40])),
    });
    const elsewhere = await homeWith({ precious: 40 });
    await symlink(join(elsewhere, 'cache/compiled/precious'), join(home, 'cache/compiled/link'));
    removeUnusedCode(own(home), now);
    expect(await kept(home)).toHaveLength(1 + 1 + 4);
    expect(await kept(elsewhere)).toEqual(['precious']);
  });

  it('makes no command fail when it cannot be looked at', () => {
    expect(() => removeUnusedCode(own('/nowhere/at/all', true), now)).not.toThrow();
  });

  it('is removed by commands, which use their own from then on', async () => {
    const home = await homeWith({ older: 31 });
    await helpWith(home);
    const [folder = '', ...others] = await kept(home);
    expect([others, folder]).toEqual([[], expect.stringMatching(/^\d+\.\d+\.\d+-.*-v\d+\.\d+\.\d+$/)]);
    await helpWith(home);
    expect(await kept(home)).toEqual([folder]);
  });
});
