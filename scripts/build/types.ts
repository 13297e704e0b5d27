import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Doors, pastDoors } from './doors.ts';

const root = resolve(import.meta.dirname, '../..');
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');

/** What a file of types imports of the package itself, without its ending. */
const imported = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)\.(?:js|ts)["']/g;

/**
 * Writes the types of `modules` into a folder. `tsc` writes those of every file that one of them uses; those that no program can
 * reach go, and with them the ones of packages that are not installed with this one.
 *
 * @param modules without their ending, from the root of the repository.
 */
export function writeTypes(modules: readonly string[], folder: string): void {
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    ...{ noEmit: false, emitDeclarationOnly: true, stripInternal: true },
    outDir: '.',
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const files = modules.map((module) => join(root, `${module}.ts`));
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
  );
  // Several threads take half as much time again of all cores.
  const { status } = spawnSync(process.execPath, [tsc, '-p', config, '--singleThreaded'], {
    stdio: 'inherit',
  });
  rmSync(config);
  if (status !== 0) throw new Error(`the types were not written: tsc ended with ${status}`);
  const reached = new Set<string>();
  const known: Doors = new Map();
  for (const module of modules) reach(join(folder, `${module}.d.ts`), reached, known);
  for (const file of globSync('**/*.d.ts', { cwd: folder }))
    if (!reached.has(join(folder, file))) rmSync(join(folder, file));
}

function reach(file: string, reached: Set<string>, known: Doors): void {
  if (reached.has(file) || !existsSync(file)) return;
  reached.add(file);
  const types = pastDoors(readFileSync(file, 'utf8'), file, known);
  writeFileSync(file, types);
  for (const [, path = ''] of types.matchAll(imported))
    reach(join(dirname(file), `${path}.d.ts`), reached, known);
}
