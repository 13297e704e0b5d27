import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, isAbsolute, relative, sep } from 'node:path';
import { messageOf } from '../protocol/error.ts';
import { type FrontmatterFields, fieldsOf } from './fields.ts';
import { type FileMark, folderMark, markOf } from './file-mark.ts';
import { readHead } from './read-head.ts';
import type { SkillRoot } from './roots.ts';
import { simpleFrontmatter } from './simple-frontmatter.ts';
import { splitSkill } from './split-skill.ts';

/** A skill as discovery knows it; its text is read when it is used. */
export interface FoundSkill extends FrontmatterFields {
  name: string;
  description: string;
  /** Of its `SKILL.md`, absolute, as it was come upon. */
  path: string;
  /** The folder of that file without links. */
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
  /** What was looked at: while all of it is as it was, so is the rest. */
  marks: FileMark[];
}

/** A folder on the way: as it was come upon, and without links. */
interface Place {
  folder: string;
  real: string;
  depth: number;
  isLink: boolean;
}

/** What an earlier scan of the same folder has found, by path. */
type Known = ReadonlyMap<string, { skill: FoundSkill; mark: string }>;

const fileName = 'SKILL.md';
const leadsOut =
  'a link leads out of the workspace; if it is meant to, name its folder in skills.folders of the configuration';
const maxDepth = 8;
const maxFolders = 20_000;
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Folders of a skill that hold what it uses, and no skills. */
const parts: ReadonlySet<string> = new Set(['scripts', 'references', 'assets']);
/** Folders between two turns of the event loop. */
const slice = 64;

/**
 * Looks for skills in a folder and all below it. Never rejects: what is wrong is among `bad`.
 *
 * @param last an earlier scan of it: files that are as they were are not read again.
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
    if (count % slice === 0) await new Promise((resolve) => setImmediate(resolve));
    if (count > maxFolders) {
      scan.bad.push({
        path: next.folder,
        reasons: [`more than ${maxFolders} folders; the rest was left out`],
      });
      break;
    }
    const { folder, real, depth, isLink } = next;
    const stats = lookAt(folder, scan, depth === 0);
    if (!stats?.isDirectory()) continue;
    const isAlone = isLink || depth === 0;
    scan.marks.push({ path: folder, mark: folderMark(stats), inode: stats.ino, isAlone });
    const id = `${stats.dev} ${stats.ino}`;
    // The same folder twice is a loop of links, or a second way to what was found already.
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
    else scan.skills.push({ ...fields, name, description, path, folder: real, root });
  } catch (error) {
    scan.bad.push({ path, reasons: [`it cannot be read: ${reasonOf(error)}`] });
  } finally {
    // What cannot be read is looked at again, too: it may be mended.
    scan.marks.push({ path, mark: mark ?? markOf(path), inode: null, isAlone });
  }
}

/** Systems that do not tell the cases of letters apart find it, and others do not. */
function misnamed(folder: string, entries: readonly Dirent[], scan: Scan): void {
  const other = entries.find((entry) => entry.isFile() && entry.name.toLowerCase() === 'skill.md');
  if (other) scan.bad.push({ path: `${folder}${sep}${other.name}`, reasons: [misnamedReason(other.name)] });
}

/** Why a file is no skill that would be one by another name. */
export function misnamedReason(name: string): string {
  return `it is called ${JSON.stringify(name)}; a skill is only found in "${fileName}"`;
}

function knownFrom(last: Scan | undefined): Known {
  if (!last) return new Map();
  const marks = new Map(last.marks.map(({ path, mark }) => [path, mark]));
  return new Map(last.skills.map((skill) => [skill.path, { skill, mark: marks.get(skill.path) ?? '' }]));
}

async function headOf(text: string, folder: string) {
  const { frontmatter } = splitSkill(text);
  const simple = frontmatter === null ? null : simpleFrontmatter(frontmatter);
  if (simple) {
    const { name, ...fields } = fieldsOf(simple, folder);
    return { ...fields, name: name || folder };
  }
  const { parseSkill } = await import('./parse-skill.ts');
  const {
    title: _,
    summary: _summary,
    checklist: _checklist,
    body: _body,
    ...fields
  } = parseSkill(text, folder);
  return fields;
}

function lookAt(path: string, scan: Scan, isRoot: boolean): Stats | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats && isRoot) scan.marks.push(alone(path));
    return stats ?? null;
  } catch (error) {
    scan.marks.push(alone(path));
    scan.bad.push({ path, reasons: [`it cannot be looked at: ${reasonOf(error)}`] });
    return null;
  }
}

/** Of what is not there, or cannot be looked at, and may be one day. */
function alone(path: string): FileMark {
  return { path, mark: markOf(path), inode: null, isAlone: true };
}

/** In the order of names, so that of two skills of one name it is always the same that is meant. */
function listing(folder: string, scan: Scan): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    scan.bad.push({ path: folder, reasons: [`it cannot be listed: ${reasonOf(error)}`] });
    return [];
  }
}

/** The folder that an entry is, or leads to; null when that is none, or one that must not be shown. */
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
  // What a link that leads upwards shows is no part of the folder: it may be the whole disk.
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
  // Most are, and to take paths apart costs more than all else that is done with a skill.
  if (path.startsWith(root) && path[root.length] === sep && !path.includes(`${sep}..`)) return true;
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Without the path, which stands beside it. */
function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? messageOf(error) : code;
}
