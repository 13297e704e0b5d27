import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
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
