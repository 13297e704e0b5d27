import { execFile } from 'node:child_process';
import { cp, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { bundle, ownModules } from '../../scripts/build/bundle.ts';
import { writeTypes } from '../../scripts/build/types.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Packs Detent as it is published, and installs it in a new project. Returns the project's folder. */
export async function installDetent(folder: string): Promise<string> {
  const built = join(folder, 'built');
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files: string[] };
  for (const name of ['package.json', ...files.filter((file) => file !== 'dist')])
    await cp(join(root, name), join(built, name), { recursive: true });
  const dist = join(built, 'dist');
  await bundle(ownModules, dist);
  writeTypes(ownModules, dist);
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: built,
  });
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  return install(join(folder, 'project'), [join(folder, packed?.filename ?? '')]);
}

/**
 * A new project with these packages, as `npm install` makes it.
 *
 * @param overrides versions of what they need
 */
export async function install(
  project: string,
  packages: readonly string[],
  overrides: Readonly<Record<string, string>> = {},
): Promise<string> {
  await mkdir(project, { recursive: true });
  const manifest = { private: true, type: 'module', overrides };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...flags, ...packages], { cwd: project });
  return project;
}

/** What the files of a folder take on the disk, and how many there are. */
export async function sizeOf(folder: string): Promise<{ bytes: number; files: number }> {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => lstat(join(folder, name))));
  return {
    // `blocks` are of 512 bytes, whatever the file system's are.
    bytes: stats.reduce((sum, { blocks }) => sum + blocks * 512, 0),
    files: stats.filter((stat) => stat.isFile()).length,
  };
}
