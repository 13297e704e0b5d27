import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../protocol/error.ts';
import { skillProblem } from '../protocol/views.ts';
import { readWholeSync } from '../text/files.ts';
import type { parseSkill } from './files/parse-skill.ts';
import { readHead } from './files/read-head.ts';
import { isInside } from './files/scan.ts';
import { unknownEntries } from './files/skill-text.ts';

/** The validation result of one `SKILL.md`. */
interface ValidatedSkill {
  path: string;
  loads: boolean;
  name: string;
  /** Null without one. */
  description: string | null;
  /** Problems for other clients, or likely mistakes of the author. */
  warnings: string[];
  /** Why it cannot be loaded. */
  errors: string[];
}

const fileName = 'SKILL.md';
const maxDepth = 32;
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Known fields: those of the format, ours, and those of other clients. */
const fields: ReadonlySet<string> = new Set(
  'name description license compatibility metadata allowed-tools confirm-before disable-model-invocation user-invocable argument-hint'.split(
    ' ',
  ),
);

/**
 * Validates every `SKILL.md` in a folder and its subfolders, including those that discovery skips.
 *
 * @param folder a folder, or one such file
 * @param isKnown whether a tool of that name exists
 * @returns null when the path does not exist.
 */
export async function validateFolder(
  folder: string,
  isKnown: (tool: string) => boolean,
): Promise<ValidatedSkill[] | null> {
  const kind = pathKind(folder);
  if (kind === null) return null;
  // With the YAML library, which a program without skills does not need.
  const { parseSkill } = await import('./files/parse-skill.ts');
  const validate = (path: string) => validateFile(path, isKnown, parseSkill);
  if (kind === 'file') return [validate(folder)];
  const within = realpathSync(folder);
  return [...skillFiles(folder, new Set(), 0)].map((found) => {
    if ('problem' in found) return refused(found.path, found.problem, basename(resolve(found.path)));
    const file = validate(found.path);
    const isOutside = file.loads && !isInside(within, realpathSync(found.path));
    return isOutside ? { ...file, warnings: [...file.warnings, leadsOut] } : file;
  });
}

const leadsOut = 'a link leads out of the folder: in the folders of a workspace such skills are left out';

function* skillFiles(
  folder: string,
  seen: Set<string>,
  depth: number,
): Generator<{ path: string } | { path: string; problem: string }> {
  try {
    const real = realpathSync(folder);
    if (seen.has(real) || depth > maxDepth) return;
    seen.add(real);
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.name.toUpperCase() === fileName.toUpperCase() && !isFolderOfSkills(entry, path))
        yield { path };
      else if (!skipped.has(entry.name) && isFolder(entry, path)) yield* skillFiles(path, seen, depth + 1);
    }
  } catch (error) {
    yield { path: folder, problem: `it cannot be listed: ${messageOf(error)}` };
  }
}

/** A folder that is called `skill.md` may hold skills; one that is called `SKILL.md` stands where a file should. */
function isFolderOfSkills({ name }: Dirent, path: string): boolean {
  return name !== fileName && pathKind(path) === 'folder';
}

function isFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  // Do not follow a link to a parent folder: it may lead to the whole disk.
  return pathKind(path) === 'folder' && !isInside(realpathSync(path), realpathSync(dirname(path)));
}

function pathKind(path: string): 'folder' | 'file' | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return null;
    return stats.isDirectory() ? 'folder' : 'file';
  } catch {
    // A link to itself, a name that is too long, or a folder without permission.
    return null;
  }
}

function validateFile(
  path: string,
  isKnown: (tool: string) => boolean,
  parse: typeof parseSkill,
): ValidatedSkill {
  const folder = basename(dirname(resolve(path)));
  const called = basename(path);
  if (called !== fileName && called.toUpperCase() === fileName.toUpperCase())
    return refused(path, skillProblem('skill_misnamed', { name: called }));
  try {
    // Throws for anything but a file, and for a file that is too large.
    readHead(path);
    const bytes = readWholeSync(path);
    const text = bytes.toString('utf8');
    const { name, description, warnings, errors, allowedTools, confirmBefore, named } = parse(text, folder);
    const loads = errors.length === 0;
    const entries = [...(allowedTools ?? []), ...(confirmBefore ?? [])];
    const others = named
      .filter((field) => !fields.has(field))
      .map((field) => `the field "${field}" is none of the format`);
    const more = [
      ...(isUtf8(bytes) ? [] : ['it is not all UTF-8: some characters are lost']),
      ...new Set(unknownEntries(entries, isKnown).map((entry) => `there is no tool "${entry}"`)),
      ...(confirmBefore && !allowedTools
        ? ['confirm-before spares no question without allowed-tools: only what that names']
        : []),
    ];
    return {
      path,
      loads,
      name,
      description: loads ? description : null,
      warnings: [...warnings, ...others, ...(loads ? more : [])],
      errors,
    };
  } catch (error) {
    return refused(path, `it cannot be read: ${messageOf(error)}`);
  }
}

function refused(path: string, error: string, name = basename(dirname(resolve(path)))): ValidatedSkill {
  return { path, loads: false, name, description: null, warnings: [], errors: [error] };
}
