import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasTerminals, type Workspace } from '../../../support/cli.ts';
import { describeWith } from '../../../support/needs.ts';
import { agree, foreignFolder, strict } from '../../trust/support.ts';

const files = { 'detent.config.yaml': 'system: x\n' };

/** A folder with a DETENT_HOME of its own. */
async function withHome(): Promise<{ folder: Workspace; home: string; env: Record<string, string> }> {
  const [folder, outer] = [await foreignFolder(files), await foreignFolder()];
  const home = outer.path('home');
  return { folder, home, env: { ...strict, DETENT_HOME: home } };
}

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('detent trust', () => {
  it('keeps its records where only their owner can read and write', async () => {
    const { folder, home, env } = await withHome();
    await agree(folder, { env });
    const kept = join(home, 'trust/folders');
    expect((await stat(join(home, 'trust'))).mode & 0o777).toBe(0o700);
    for (const name of await readdir(kept)) {
      expect((await stat(join(kept, name))).mode & 0o777).toBe(0o600);
      expect(JSON.parse(await readFile(join(kept, name), 'utf8'))).toMatchObject({
        folder: folder.folder,
        texts: files,
      });
    }
  });

  it('says what a trusted folder wants, and that it is trusted', async () => {
    const { folder, env } = await withHome();
    expect((await folder.detent(['trust', '--json'], { env })).code).toBe(3);
    await agree(folder, { env });
    const { code, stdout } = await folder.detent(['trust'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/is trusted since .*\n +settings +system\n/);
    const { stdout: json } = await folder.detent(['trust', '--json'], { env });
    expect(JSON.parse(json)).toMatchObject({
      folder: folder.folder,
      trusted: true,
      wants: [['settings', 'system']],
    });
  });

  it('lists the trusted folders', async () => {
    const { folder, env } = await withHome();
    expect((await folder.detent(['trust', '--list'], { env })).stderr).toBe('no folder is trusted\n');
    await agree(folder, { env });
    expect((await folder.detent(['trust', '--list'], { env })).stdout).toContain(
      `${folder.folder}  detent.config.yaml`,
    );
    const { stdout } = await folder.detent(['trust', '--list', '--json'], { env });
    expect(JSON.parse(stdout).folders).toMatchObject([
      { folder: folder.folder, files: ['detent.config.yaml'] },
    ]);
  });

  it('takes it back, also of a folder that is gone', async () => {
    const { folder, env } = await withHome();
    await agree(folder, { env });
    expect((await folder.detent(['run', 'what is 2+2?', '--quiet'], { env })).code).toBe(0);
    expect((await folder.detent(['trust', '--revoke'], { env })).code).toBe(0);
    const { code, stderr } = await folder.detent(['runs', 'list'], { env });
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('a database') });
    await agree(folder, { env });
    const outer = await foreignFolder();
    await rm(folder.folder, { recursive: true });
    expect((await outer.detent(['trust', '--revoke', folder.folder], { env })).code).toBe(0);
    expect((await outer.detent(['trust', '--revoke', folder.folder], { env })).code).toBe(4);
  });
});

describe.concurrent('detent trust', () => {
  it('says that an empty folder needs none', async () => {
    const { code, stdout } = await (await foreignFolder()).detent(['trust']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('needs no trust') });
  });

  it('names a folder that does not exist', async () => {
    expect((await (await foreignFolder()).detent(['trust', 'nowhere'])).code).toBe(4);
  });
});

describe.concurrent('the records are refused when', () => {
  it('DETENT_HOME is relative: a folder could bring its own', async () => {
    const folder = await foreignFolder(files);
    const { code, stderr } = await folder.detent(['runs', 'list'], {
      env: { ...strict, DETENT_HOME: 'home' },
    });
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('DETENT_HOME is an absolute path'),
    });
  });

  it('other users can write them', async () => {
    const { folder, home, env } = await withHome();
    await mkdir(join(home, 'trust/folders'), { recursive: true });
    await chmod(join(home, 'trust'), 0o777);
    const { code, stderr } = await folder.detent(['runs', 'list'], { env });
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('other users can write'),
    });
  });
});
