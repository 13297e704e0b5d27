import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../runtime/config.ts';
import { detentHome } from '../text/files.ts';

/** Where the compiled code of this Detent is kept, for this Node. */
export interface CompiledCode {
  folder: string;
  /** Whether no earlier start has made it. */
  isNew: boolean;
}

const dayMs = 24 * 3_600_000;
/** What no start has used for so long is removed. */
const keptMs = 30 * dayMs;
/** Folders that one command removes at most. */
const maxRemoved = 10;

/**
 * Keeps what V8 compiled for the next start, in a folder that only this user can write: what lies there is executed, and
 * Node's own choice is a folder of the machine's temporary files. Without one, or where it cannot be written, each start
 * compiles. `NODE_COMPILE_CACHE` names another folder.
 */
export function keepCompiledCode(env: Readonly<Record<string, string | undefined>>): CompiledCode | null {
  const home = detentHome(env);
  if (!existsSync(home)) return null;
  try {
    mkdirSync(join(home, 'cache'), { recursive: true, mode: 0o700 });
    const folder = join(home, 'cache/compiled', ownName());
    const isNew = mkdirSync(folder, { recursive: true }) !== undefined;
    // A static import of it would be refused by an older Node, before that is told why.
    process.getBuiltinModule('node:module').enableCompileCache(folder);
    return { folder, isNew };
  } catch {
    // A home that cannot be written to is no reason to refuse the command.
    return null;
  }
}

/** Another version, another build and another Node have a folder of their own, so that each can be removed as a whole. */
function ownName(): string {
  const built = statSync(fileURLToPath(import.meta.url)).mtimeMs;
  return `${version()}-${Math.floor(built).toString(36)}-${process.version}`;
}

/**
 * Removes what no start has used for a month, once a day and when there is a new folder. A process whose folder another one
 * removes compiles again.
 *
 * @param now milliseconds since the epoch
 */
export function removeUnusedCode({ folder, isNew }: CompiledCode, now = Date.now()): void {
  try {
    if (!isNew && now - statSync(folder).mtimeMs < dayMs) return;
    utimesSync(folder, now / 1_000, now / 1_000);
    const unused = readdirSync(dirname(folder))
      .map((name) => join(dirname(folder), name))
      .filter((path) => isUnused(path, now));
    for (const path of unused.slice(0, maxRemoved)) rmSync(path, { recursive: true, force: true });
  } catch {
    // It stays for the next command.
  }
}

/** A link is left alone, wherever it leads. */
function isUnused(path: string, now: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && now - found.mtimeMs > keptMs;
}
