import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The package as it would be installed, with the benchmark's own scripts beside it. */
export interface BuiltPackage {
  /** A script inside it can `import('detent')`. */
  home: string;
  /** The benchmark's script of that name, without its ending; it drives the built Detent. */
  script(name: string): URL;
}

/** Builds everything to JavaScript, because users run that, and Node's type stripper would be in the figures. */
export async function buildPackage(folder: string): Promise<BuiltPackage> {
  const home = join(folder, 'package');
  await mkdir(home, { recursive: true });
  await cp(join(root, 'package.json'), join(home, 'package.json'));
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  await cp(join(root, 'skills'), join(home, 'skills'), { recursive: true });
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: { rootDir: root, outDir: 'dist', declaration: false },
    include: ['machines', 'src', 'bench'].map((part) => join(root, part)),
  };
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', home]);
  return { home, script: (name) => pathToFileURL(join(home, `dist/bench/${name}.js`)) };
}
