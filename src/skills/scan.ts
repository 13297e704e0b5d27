import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { messageOf } from '../protocol/error.ts';
import { type FrontmatterFields, fieldsOf } from './fields.ts';
import { type FileMark, readHead } from './read-head.ts';
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
}

const fileName = 'SKILL.md';
const leadsOut =
  'a link leads out of the workspace; if it is meant to, name its folder in skills.folders of the configuration';
const mostDepth = 8;
const mostFolders = 20_000;
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Folders of a skill that hold what it uses, and no skills. */
const parts: ReadonlySet<string> = new Set(['scripts', 'references', 'assets']);
/** Folders between two turns of the event loop. */
const slice = 64;

/** Looks for skills in a folder and all below it. Never rejects: what is wrong is among `bad`. */
export async function scanRoot(root: SkillRoot): Promise<Scan> {
  const scan: Scan = { skills: [], bad: [], marks: [] };
  const within = root.within === null ? null : realOrNull(root.within);
  const seen = new Set<string>();
  const real = realOrNull(root.folder) ?? root.folder;
  const waiting: Place[] =
    within !== null && !isInside(within, real) ? [] : [{ folder: root.folder, real, depth: 0 }];
  if (waiting.length === 0) scan.bad.push({ path: root.folder, reasons: [leadsOut] });
  for (let next = waiting.shift(), count = 1; next; next = waiting.shift(), count++) {
    if (count % slice === 0) await new Promise((resolve) => setImmediate(resolve));
    if (count > mostFolders) {
      scan.bad.push({
        path: next.folder,
        reasons: [`more than ${mostFolders} folders; the rest was left out`],
      });
      break;
    }
    const { folder, real, depth } = next;
    const stats = lookAt(folder, scan, depth === 0);
    if (!stats?.isDirectory()) continue;
    scan.marks.push({ path: folder, mark: folderMark(stats) });
    const id = `${stats.dev} ${stats.ino}`;
    // The same folder twice is a loop of links, or a second way to what was found already.
    if (seen.has(id)) continue;
    seen.add(id);
    const entries = listing(folder, scan);
    const file = entries.find(({ name }) => name === fileName);
    if (file) await readSkill({ folder, real, file }, root, within, scan);
    if (depth === mostDepth) continue;
    for (const entry of entries) {
      if (skipped.has(entry.name) || (file && parts.has(entry.name))) continue;
      const inner = folderBehind(entry, { folder, real, depth }, within, scan);
      if (inner) waiting.push(inner);
    }
  }
  return scan;
}

/** A file or folder as it is now; null when it is not there. */
export function markOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  return stats.isDirectory() ? folderMark(stats) : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

function folderMark({ ino, mtimeMs }: Stats): string {
  return `${ino} ${mtimeMs}`;
}

async function readSkill(
  { folder, real, file }: Pick<Place, 'folder' | 'real'> & { file: Dirent },
  root: SkillRoot,
  within: string | null,
  scan: Scan,
): Promise<void> {
  const path = join(folder, fileName);
  try {
    const target = file.isSymbolicLink() ? realpathSync.native(path) : join(real, fileName);
    if (within !== null && !isInside(within, target)) throw new Error(leadsOut);
    const { text, mark } = readHead(target);
    scan.marks.push({ path, mark });
    const { name, description, errors, ...fields } = await headOf(text, basename(folder));
    if (errors.length > 0) scan.bad.push({ path, reasons: errors });
    else scan.skills.push({ ...fields, name, description, path, folder: real, root });
  } catch (error) {
    scan.bad.push({ path, reasons: [`it cannot be read: ${reasonOf(error)}`] });
  }
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
    if (!stats && isRoot) scan.marks.push({ path, mark: '' });
    return stats ?? null;
  } catch (error) {
    scan.bad.push({ path, reasons: [`it cannot be looked at: ${reasonOf(error)}`] });
    return null;
  }
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
function folderBehind(entry: Dirent, at: Place, within: string | null, scan: Scan): Place | null {
  const folder = join(at.folder, entry.name);
  const depth = at.depth + 1;
  if (entry.isDirectory()) return { folder, real: join(at.real, entry.name), depth };
  if (!entry.isSymbolicLink()) return null;
  const real = realOrNull(folder);
  if (real === null || !statSync(real, { throwIfNoEntry: false })?.isDirectory()) return null;
  if (within === null || isInside(within, real)) return { folder, real, depth };
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
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Without the path, which stands beside it. */
function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? messageOf(error) : code;
}
