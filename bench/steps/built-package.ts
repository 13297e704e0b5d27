import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Builds the package into a folder as it would be installed; answers where a script inside it can `import('detent')`. */
export async function buildPackage(folder: string): Promise<string> {
  const home = join(folder, 'package');
  await mkdir(home, { recursive: true });
  await cp(join(root, 'package.json'), join(home, 'package.json'));
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const build = ['-p', 'tsconfig.build.json', '--outDir', join(home, 'dist'), '--declaration', 'false'];
  await promisify(execFile)(process.execPath, [tsc, ...build], { cwd: root });
  return home;
}
