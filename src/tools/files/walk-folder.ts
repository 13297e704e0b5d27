import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { openToRead, ownFolderName } from '../../text/files.ts';
import { databaseMatcher } from './database-files.ts';
import { foldedName } from './guarded-paths.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { pinFolder } from './pinned-folder.ts';
import type { WorkspacePath } from './workspace-path.ts';

export interface WalkOptions {
  /** The workspace itself. */
  root: WorkspacePath;
  /** 1 = the folder's own entries. */
  depth: number;
  /** Whether the walk includes what `.gitignore` files leave out. */
  withIgnored: boolean;
  signal: AbortSignal;
}

interface WalkedEntry {
  /** Path relative to the workspace, not escaped. */
  segments: readonly string[];
  real: string;
  kind: 'file' | 'folder' | 'link' | 'special';
  /** A folder that is not opened because of its name. */
  isClosed: boolean;
  /** A folder that could not be read. */
  isUnreadable: boolean;
}

/** Counts of what a walk skipped. */
interface WalkCounts {
  ignored: number;
}

const closedByDefault = new Set(['.git', 'node_modules']);
const maxIgnoreBytes = 256 * 1024;

/**
 * Walks a folder in order of path (by code unit), each folder before what is in it, without following links. Folders
 * are opened as {@link pinFolder} does. The walk does not open `.git`, `node_modules` and the runtime's own folder; the
 * first two are walked only if the walk begins in them.
 *
 * @param counts the walk adds to these.
 * @throws ToolFailure `FILE_NOT_FOUND`, `NOT_A_FOLDER`, `PERMISSION_DENIED` for the folder itself.
 */
export async function* walkFolder(
  folder: WorkspacePath,
  { root, depth, withIgnored, signal }: WalkOptions,
  counts: WalkCounts,
): AsyncGenerator<WalkedEntry> {
  const own = join(root.real, ownFolderName);
  const runtime = await realpath(own).catch(() => own);
  const isDatabase = await databaseMatcher(root.database);
  const start = folder.shown === '.' ? [] : folder.shown.split('/');

  const walk = async function* (
    { entries, rules }: OpenedFolder,
    real: string,
    above: readonly string[],
    levels: number,
  ): AsyncGenerator<WalkedEntry> {
    for (const entry of entries) {
      const path = join(real, entry.name);
      const segments = [...above, entry.name];
      if ((above.length === 0 && foldedName(entry.name) === ownFolderName) || path === runtime) continue;
      if (isDatabase(path)) continue;
      const isFolder = entry.isDirectory();
      if (rules?.ignores(segments, isFolder)) {
        counts.ignored += 1;
        continue;
      }
      const isClosed = isFolder && closedByDefault.has(entry.name);
      const goesIn = isFolder && !isClosed && levels > 1;
      const inner = goesIn
        ? await openFolder(path, segments.join('/'), rules, segments.length).catch(() => null)
        : undefined;
      signal.throwIfAborted();
      yield { segments, real: path, kind: entryKind(entry), isClosed, isUnreadable: inner === null };
      if (inner) yield* walk(inner, path, segments, levels - 1);
    }
  };
  const rules = withIgnored ? null : await rulesAbove(root.real, start);
  yield* walk(await openFolder(folder.real, folder.shown, rules, start.length), folder.real, start, depth);
}

interface OpenedFolder {
  entries: readonly Dirent[];
  /** Null when no rules are asked for. */
  rules: IgnoreRules | null;
}

async function openFolder(
  real: string,
  shown: string,
  rules: IgnoreRules | null,
  depth: number,
): Promise<OpenedFolder> {
  await using folder = await pinFolder(real, shown);
  const entries = await readdir(folder.path, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const hasOwn = rules !== null && entries.some(({ name }) => name === '.gitignore');
  return { entries, rules: hasOwn ? rules.with(await ignoreText(folder.path), depth) : rules };
}

/** The rules of the folders above a folder, the workspace first. */
async function rulesAbove(root: string, segments: readonly string[]): Promise<IgnoreRules> {
  let rules = new IgnoreRules();
  for (let depth = 0; depth < segments.length; depth++) {
    const real = join(root, ...segments.slice(0, depth));
    const opened = await openFolder(real, segments.slice(0, depth).join('/') || '.', rules, depth).catch(
      () => null,
    );
    rules = opened?.rules ?? rules;
  }
  return rules;
}

/** A file that cannot be read, or is no regular file, has no rules. */
async function ignoreText(folder: string): Promise<string> {
  try {
    await using handle = await openToRead(join(folder, '.gitignore'), { followsLink: false });
    if (!(await handle.stat()).isFile()) return '';
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxIgnoreBytes), 0, maxIgnoreBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}

function entryKind(entry: Dirent): WalkedEntry['kind'] {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() ? 'file' : 'special';
}

/** A path for display. Control characters are escaped: a line break in a name could fake an entry. */
export function printablePath(segments: readonly string[]): string {
  return segments.map(printable).join('/');
}

function printable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}
