import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspacePath } from '../../workspace-path.ts';
import { pinFolder } from './pinned-folder.ts';

export interface ListOptions {
  /** 1 = the folder's own entries. */
  depth: number;
  limit: number;
  signal: AbortSignal;
}

export interface FolderListing {
  lines: string[];
  /** How many entries `limit` left out, `at least …` when not all were counted; null for none. */
  more: string | null;
  /** Folders left closed because of their name, at most five. */
  skipped: string[];
}

const closedByDefault = new Set(['.git', 'node_modules']);
const reserved = '.detent';
/** Where counting what is left out stops, so that `depth` on a home folder ends. */
const maxCounted = 20_000;

/**
 * Lists a folder in order of path (by code unit), without following links out of it.
 *
 * @throws ToolFailure `FILE_NOT_FOUND`, `NOT_A_FOLDER`, `PERMISSION_DENIED` for the folder itself; folders inside
 * that cannot be read are marked.
 */
export async function listFolder(folder: WorkspacePath, options: ListOptions): Promise<FolderListing> {
  const { depth, limit, signal } = options;
  const lines: string[] = [];
  const skipped: string[] = [];
  let counted = 0;

  const add = (line: string) => {
    counted += 1;
    if (lines.length < limit) lines.push(line);
  };
  const walk = async (
    entries: readonly Dirent[],
    real: string,
    shown: string,
    levels: number,
  ): Promise<void> => {
    for (const entry of entries) {
      if (counted >= maxCounted) return;
      if (shown === '' && entry.name.toLowerCase() === reserved) continue;
      const path = `${shown}${printable(entry.name)}`;
      if (!entry.isDirectory()) {
        add(entry.isSymbolicLink() ? `${path} (symbolic link)` : path);
        continue;
      }
      const closed = closedByDefault.has(entry.name);
      if (closed && levels > 1 && skipped.length < 5) skipped.push(`${path}/`);
      const inner =
        closed || levels <= 1 ? [] : await entriesOf(join(real, entry.name), path).catch(() => null);
      signal.throwIfAborted();
      add(inner === null ? `${path}/ (cannot be read)` : `${path}/`);
      await walk(inner ?? [], join(real, entry.name), `${path}/`, levels - 1);
    }
  };
  const own = await entriesOf(folder.real, folder.shown);
  await walk(own, folder.real, folder.shown === '.' ? '' : `${folder.shown}/`, depth);
  const left = counted - lines.length;
  const more = counted >= maxCounted ? `at least ${left}` : left > 0 ? String(left) : null;
  return { lines, more, skipped };
}

async function entriesOf(real: string, shown: string): Promise<Dirent[]> {
  await using folder = await pinFolder(real, shown);
  const entries = await readdir(folder.path, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A name may hold a line break, which would forge an entry. */
function printable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}
