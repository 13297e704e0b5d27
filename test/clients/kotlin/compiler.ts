import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const cache = join(root, 'node_modules/.cache/detent-kotlin');

/** It has 90 MB, so it is no dependency: tests at the deep size fetch it once into the cache. It brings coroutines. */
const version = '2.4.20';
const sha512 = 'IF5IVM7LpPhA/ntHQQpaVt1yxpaaQovtEVYLyqWMuaLr0XelLPPm7/sM6HLhtcRjjjoSsK7I7lP2kzYJkMy73w==';

/** The folder of the Kotlin compiler. @throws Error when the package cannot be had, or is not the one that is meant */
export function kotlinCompiler(): string {
  const folder = join(cache, version);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  try {
    const quiet = { cwd: draft, stdio: 'ignore', timeout: 50_000 } as const;
    execFileSync('npm', ['pack', '--ignore-scripts', `kotlin-compiler@${version}`], quiet);
    const file = join(draft, `kotlin-compiler-${version}.tgz`);
    if (createHash('sha512').update(readFileSync(file)).digest('base64') !== sha512)
      throw new Error(`kotlin-compiler ${version} is not the package that this test knows`);
    execFileSync('tar', ['xzf', file], quiet);
    if (!existsSync(folder)) renameSync(join(draft, 'package'), folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

/** Compiles for Java 8. @return the class path to run it with */
export function compileKotlin(sources: readonly string[], into: string, jar: string): string {
  const lib = join(kotlinCompiler(), 'lib');
  const libraries = ['kotlin-stdlib.jar', 'kotlinx-coroutines-core-jvm.jar'].map((name) => join(lib, name));
  const classPath = [jar, ...libraries].join(delimiter);
  const compiler = ['-cp', join(lib, 'kotlin-compiler.jar'), 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler'];
  const options = [
    '-no-stdlib',
    '-no-reflect',
    '-jvm-target',
    '1.8',
    '-Werror',
    '-cp',
    classPath,
    '-d',
    into,
  ];
  execFileSync('java', ['-Xshare:auto', ...compiler, ...options, ...sources], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return [into, classPath].join(delimiter);
}
