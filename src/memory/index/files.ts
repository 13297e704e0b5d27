import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which Markdown files are indexed: those of a memory (`MEMORY.md` and all under `memory/`), or all under the folder.
 * Folders and files whose names begin with a dot are not, and links are not followed.
 */
export type Tree = 'memory' | 'all';

/** A file to index. */
export interface FoundFile {
  /** From the root, with `/`. */
  path: string;
  /** Changes whenever the content may have. */
  stat: string;
  /** Milliseconds since the epoch. */
  changedAt: number;
}

/** An entry of a walk. */
type Walked = { folder: string } | FoundFile | { path: string; problem: string };

/** Larger files are no notes. */
export const maxFileBytes = 20_000_000;

/** Walks all files and folders of a tree. Yields often, so that the thread can do other work. */
export function* walk(root: string, tree: Tree): Generator<Walked> {
  if (tree === 'all') {
    yield* walkFolder(root, '');
    return;
  }
  yield* entry(root, 'MEMORY.md');
  if (lstatSync(join(root, 'memory'), { throwIfNoEntry: false })?.isSymbolicLink())
    yield { path: 'memory', problem: 'is a link, which is not followed' };
  else yield* walkFolder(root, 'memory');
}

function* walkFolder(root: string, folder: string): Generator<Walked> {
  let entries: Dirent[];
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      yield { path: folder || '.', problem: `cannot be read (${code})` };
    return;
  }
  yield { folder };
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const each of entries) {
    if (each.name.startsWith('.')) continue;
    const path = folder === '' ? each.name : `${folder}/${each.name}`;
    if (each.isDirectory()) yield* walkFolder(root, path);
    else if (each.isFile() && /\.(md|markdown)$/i.test(each.name)) yield* entry(root, path);
  }
}

function* entry(root: string, path: string): Generator<Walked> {
  try {
    const stat = lstatSync(join(root, path), { bigint: true });
    if (!stat.isFile()) return;
    if (stat.size > maxFileBytes) {
      yield { path, problem: `is larger than ${maxFileBytes / 1e6} MB` };
      return;
    }
    const { size, mtimeNs, ctimeNs, ino } = stat;
    yield { path, stat: `${size} ${mtimeNs} ${ctimeNs} ${ino}`, changedAt: Number(stat.ctimeMs) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') yield { path, problem: `cannot be read (${code})` };
    else if (path.includes('\uFFFD')) yield { path, problem: 'has a name that is not UTF-8' };
  }
}
