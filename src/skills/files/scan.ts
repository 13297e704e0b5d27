import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, isAbsolute, relative, sep } from 'node:path';
import { messageOf } from '../../protocol/error.ts';
import { skillProblem } from '../../protocol/views.ts';
import { breath } from '../../text/limiter.ts';
import { type FileMark, folderMark, markOf } from './file-mark.ts';
import type { FrontmatterFields } from './frontmatter-fields.ts';
import { headOf } from './head.ts';
import { readHead } from './read-head.ts';
import { bundledNames, type SkillRoot } from './roots.ts';

/** A discovered skill; its text is read on use. */
export interface FoundSkill extends FrontmatterFields {
  name: string;
  description: string;
  /** Path of its `SKILL.md`, absolute, with links unresolved. */
  path: string;
  /** Real path of the folder of that file. */
  folder: string;
  root: SkillRoot;
  warnings: readonly string[];
}

/** A `SKILL.md`, or a folder, that cannot be used. */
export interface BadSkill {
  path: string;
  reasons: readonly string[];
}

export interface Scan {
  skills: FoundSkill[];
  bad: BadSkill[];
  /** Marks of all files and folders that the scan read: if none has changed, the scan is still valid. */
  marks: FileMark[];
}

/** A folder on the path: with links unresolved, and its real path. */
interface Place {
  folder: string;
  real: string;
  depth: number;
  isLink: boolean;
}

/** The results of an earlier scan of the same folder, by path. */
type Known = ReadonlyMap<string, { skill: FoundSkill; mark: string }>;

const fileName = 'SKILL.md';
const leadsOut = skillProblem('skill_leads_out');
const maxDepth = 8;
const maxFolders = 20_000;
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Folders for resources of a skill, which contain no skills. */
const parts: ReadonlySet<string> = new Set(['scripts', 'references', 'assets']);
/** Folders to scan before yielding to the event loop. */
const slice = 64;

/**
 * Searches a folder and all its subfolders for skills. Never rejects: problems are in `bad`.
 *
 * @param last an earlier scan: unchanged files are not read again.
 */
export async function scanRoot(root: SkillRoot, last?: Scan): Promise<Scan> {
  const known = knownFrom(last);
  const scan: Scan = { skills: [], bad: [], marks: [] };
  const within = root.within === null ? null : realOrNull(root.within);
  const seen = new Set<string>();
  const real = realOrNull(root.folder) ?? root.folder;
  const waiting: Place[] =
    within !== null && !isInside(within, real)
      ? []
      : [{ folder: root.folder, real, depth: 0, isLink: false }];
  if (waiting.length === 0) scan.bad.push({ path: root.folder, reasons: [leadsOut] });
  for (let next = waiting.shift(), count = 1; next; next = waiting.shift(), count++) {
    if (count % slice === 0) await breath();
    if (count > maxFolders) {
      scan.bad.push({
        path: next.folder,
        reasons: [skillProblem('skill_folders', { max: maxFolders })],
      });
      break;
    }
    const { folder, real, depth, isLink } = next;
    const stats = lookAt(folder, scan, depth === 0);
    if (!stats?.isDirectory()) continue;
    const isAlone = isLink || depth === 0;
    scan.marks.push({ path: folder, mark: folderMark(stats), inode: stats.ino, isAlone });
    const id = `${stats.dev} ${stats.ino}`;
    // A folder that was seen already is a loop of links, or a second path to known skills.
    if (seen.has(id)) continue;
    seen.add(id);
    const entries = listing(folder, scan);
    const file = entries.find(({ name }) => name === fileName);
    if (!file) misnamed(folder, entries, scan);
    if (file) await readSkill({ folder, real, file }, root, { within, known }, scan);
    if (depth === maxDepth) continue;
    for (const entry of entries) {
      if (skipped.has(entry.name) || (file && parts.has(entry.name))) continue;
      const inner = folderBehind(entry, { folder, real, depth }, within, scan);
      if (inner) waiting.push(inner);
    }
  }
  return scan;
}

async function readSkill(
  { folder, real, file }: Pick<Place, 'folder' | 'real'> & { file: Dirent },
  root: SkillRoot,
  { within, known }: { within: string | null; known: Known },
  scan: Scan,
): Promise<void> {
  const path = `${folder}${sep}${fileName}`;
  const isAlone = file.isSymbolicLink();
  let mark: string | null = null;
  try {
    const target = isAlone ? realpathSync.native(path) : `${real}${sep}${fileName}`;
    if (within !== null && !isInside(within, target)) throw new Error(leadsOut);
    const last = known.get(path);
    if (last?.skill.folder === real && markOf(target) === last.mark) {
      mark = last.mark;
      scan.skills.push(last.skill);
      return;
    }
    const head = readHead(target);
    mark = head.mark;
    const { name, description, errors, ...fields } = await headOf(head.text, basename(folder));
    if (errors.length > 0) scan.bad.push({ path, reasons: errors });
    else scan.skills.push({ ...fields, name, description, path, folder: real, root: rootOf(root, name) });
  } catch (error) {
    scan.bad.push({ path, reasons: [skillProblem('skill_unreadable', { said: errorCode(error) })] });
  } finally {
    // Also mark an unreadable file, so that a later scan notices when it becomes readable.
    scan.marks.push({ path, mark: mark ?? markOf(path), inode: null, isAlone });
  }
}

/** Reports a misspelt `SKILL.md`: case-insensitive file systems find it, others do not. */
function misnamed(folder: string, entries: readonly Dirent[], scan: Scan): void {
  const other = entries.find((entry) => entry.isFile() && entry.name.toLowerCase() === 'skill.md');
  if (other)
    scan.bad.push({
      path: `${folder}${sep}${other.name}`,
      reasons: [skillProblem('skill_misnamed', { name: other.name })],
    });
}

function knownFrom(last: Scan | undefined): Known {
  if (!last) return new Map();
  const marks = new Map(last.marks.map(({ path, mark }) => [path, mark]));
  return new Map(last.skills.map((skill) => [skill.path, { skill, mark: marks.get(skill.path) ?? '' }]));
}

function lookAt(path: string, scan: Scan, isRoot: boolean): Stats | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats && isRoot) scan.marks.push(alone(path));
    return stats ?? null;
  } catch (error) {
    scan.marks.push(alone(path));
    scan.bad.push({ path, reasons: [skillProblem('skill_not_seen', { said: errorCode(error) })] });
    return null;
  }
}

/** The mark of a path that does not exist yet, or cannot be read. */
function alone(path: string): FileMark {
  return { path, mark: markOf(path), inode: null, isAlone: true };
}

/** Entries sorted by name, so that of two skills with one name always the same one wins. */
function listing(folder: string, scan: Scan): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    scan.bad.push({ path: folder, reasons: [skillProblem('skill_not_listed', { said: errorCode(error) })] });
    return [];
  }
}

/** The folder that an entry is or links to; null when it is no folder, or one that must not be read. */
function folderBehind(
  entry: Dirent,
  at: Omit<Place, 'isLink'>,
  within: string | null,
  scan: Scan,
): Place | null {
  if (!entry.isDirectory() && !entry.isSymbolicLink()) return null;
  const folder = `${at.folder}${sep}${entry.name}`;
  const depth = at.depth + 1;
  if (entry.isDirectory()) return { folder, real: `${at.real}${sep}${entry.name}`, depth, isLink: false };
  const real = realOrNull(folder);
  if (real === null) scan.marks.push(alone(folder));
  if (real === null || !statSync(real, { throwIfNoEntry: false })?.isDirectory()) return null;
  // Do not follow a link to a parent folder: it may lead to the whole disk.
  if (isInside(real, at.real)) return null;
  if (within === null || isInside(within, real)) return { folder, real, depth, isLink: true };
  scan.bad.push({ path: folder, reasons: [leadsOut] });
  return null;
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function isInside(root: string, path: string): boolean {
  // A fast path: most are inside, and parsing paths costs more than all other work on a skill.
  if (path.startsWith(root) && path[root.length] === sep && !path.includes(`${sep}..`)) return true;
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The message without the path, which the caller has anyway. */
function errorCode(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? messageOf(error) : code;
}

function rootOf(root: SkillRoot, name: string): SkillRoot {
  return root.others && !bundledNames.has(name) ? root.others : root;
}
