import type { PathMatcher } from '../../text/glob.ts';
import { printablePath, type WalkOptions, walkFolder } from './walk-folder.ts';
import type { WorkspacePath } from './workspace-path.ts';

interface ListOptions extends WalkOptions {
  limit: number;
  /** Lists only matching entries, by their path from the folder on; null lists all. */
  matches: PathMatcher | null;
}

interface FolderListing {
  lines: string[];
  /** How many entries `limit` left out, `at least …` when not all were counted; null for none. */
  more: string | null;
  /** Folders that were not opened because of their name, at most five. */
  skipped: string[];
  /** Number of entries that `.gitignore` files leave out, not counting the contents of folders. */
  ignored: number;
}

/** Maximum entries that one call walks over, so that a large `depth` on a home folder ends. */
const maxWalked = 20_000;

/**
 * Lists a folder in order of path (by code unit), without following links out of it.
 *
 * @throws ToolFailure `FILE_NOT_FOUND`, `NOT_A_FOLDER`, `PERMISSION_DENIED` for the folder itself; folders inside
 * that cannot be read are marked.
 */
export async function listFolder(folder: WorkspacePath, options: ListOptions): Promise<FolderListing> {
  const { depth, limit, matches } = options;
  const lines: string[] = [];
  const skipped: string[] = [];
  const counts = { ignored: 0 };
  const above = folder.shown === '.' ? 0 : folder.shown.split('/').length;
  let walked = 0;
  let listed = 0;
  for await (const entry of walkFolder(folder, options, counts)) {
    if (walked === maxWalked) break;
    walked += 1;
    const { segments, kind } = entry;
    const path = printablePath(segments);
    const isDeep = segments.length - above < depth;
    if (entry.isClosed && isDeep && skipped.length < 5) skipped.push(`${path}/`);
    if (matches && !matches(segments.slice(above))) continue;
    listed += 1;
    if (lines.length >= limit) continue;
    if (kind === 'folder') lines.push(entry.isUnreadable ? `${path}/ (cannot be read)` : `${path}/`);
    else lines.push(kind === 'link' ? `${path} (symbolic link)` : path);
  }
  const left = listed - lines.length;
  const more = walked >= maxWalked ? `at least ${left}` : left > 0 ? String(left) : null;
  return { lines, more, skipped, ignored: counts.ignored };
}
