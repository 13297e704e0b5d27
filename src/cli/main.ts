#!/usr/bin/env node
import { existsSync, mkdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { detentHome } from '../files/detent-home.ts';
import { nodeProblem } from '../runtime/needs-node.ts';
import { version } from '../runtime/version.ts';

const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(`detent: ${problem}\n`);
  process.exitCode = 1;
} else if (!hasPrintedVersion(process.argv[2])) {
  keepCompiledCode();
  void import('./process.ts').then((it) => it.perform());
}

/** The version alone needs no streams, which Node would load for `process.stdout`. */
function hasPrintedVersion(word: string | undefined): boolean {
  if (word !== '--version' && word !== '-v') return false;
  try {
    writeSync(1, `${version()}\n`);
    return true;
  } catch {
    // Nobody reads it, or not now: the streams know what to do.
    return false;
  }
}

/**
 * Keeps what V8 compiled for the next start, in a folder that only this user can write: what lies there is executed, and
 * Node's own choice is a folder of the machine's temporary files. Without one, or where it cannot be written, each start
 * compiles. `NODE_COMPILE_CACHE` names another folder.
 */
function keepCompiledCode(): void {
  const home = detentHome(process.env);
  if (!existsSync(home)) return;
  const folder = join(home, 'cache');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A static import of it would be refused by an older Node, before that is told why.
    process.getBuiltinModule('node:module').enableCompileCache(join(folder, 'compiled'));
  } catch {
    // A home that cannot be written to is no reason to refuse the command.
  }
}
