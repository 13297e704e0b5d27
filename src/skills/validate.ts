import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../protocol/error.ts';
import { isObject } from '../protocol/json.ts';
import { parseSkill } from './parse-skill.ts';
import { readHead } from './read-head.ts';
import { splitSkill } from './split-skill.ts';
import { unknownEntries } from './tool-rules.ts';
import { yamlFrontmatter } from './yaml-frontmatter.ts';

/** What is to be said of one `SKILL.md`. */
export interface ValidatedSkill {
  path: string;
  loads: boolean;
  name: string;
  /** Null when there is none. */
  description: string | null;
  /** What another client, or the person who wrote it, may stumble over. */
  warnings: string[];
  /** Why it cannot be loaded. */
  errors: string[];
}

const fileName = 'SKILL.md';
const mostDepth = 32;
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Those of the format, ours, and those that other clients give a meaning. */
const fields: ReadonlySet<string> = new Set(
  'name description license compatibility metadata allowed-tools confirm-before disable-model-invocation user-invocable argument-hint'.split(
    ' ',
  ),
);

/**
 * Reads every `SKILL.md` in a folder and all below it, also those that discovery passes over.
 *
 * @param folder a folder, or one such file
 * @param isKnown whether there is a tool of a name
 * @returns null when there is nothing of that name.
 */
export async function validateFolder(
  folder: string,
  isKnown: (tool: string) => boolean,
): Promise<ValidatedSkill[] | null> {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) return null;
  const files = stats.isDirectory() ? skillFiles(folder, new Set(), 0) : [folder];
  return files.map((path) => validateFile(path, isKnown));
}

function skillFiles(folder: string, seen: Set<string>, depth: number): string[] {
  const real = realpathSync(folder);
  if (seen.has(real) || depth > mostDepth) return [];
  seen.add(real);
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === fileName) return [path];
    return isFolder(entry, path) && !skipped.has(entry.name) ? skillFiles(path, seen, depth + 1) : [];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function validateFile(path: string, isKnown: (tool: string) => boolean): ValidatedSkill {
  const folder = basename(dirname(resolve(path)));
  try {
    // Refuses what is no file, and what is too large to be read.
    readHead(path);
    const text = readFileSync(path, 'utf8');
    const { name, description, warnings, errors, allowedTools, confirmBefore } = parseSkill(text, folder);
    const loads = errors.length === 0;
    const entries = [...(allowedTools ?? []), ...(confirmBefore ?? [])];
    const more = [
      ...unknownFields(text).map((field) => `the field "${field}" is none of the format`),
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
      warnings: loads ? [...warnings, ...more] : warnings,
      errors,
    };
  } catch (error) {
    const errors = [`it cannot be read: ${messageOf(error)}`];
    return { path, loads: false, name: folder, description: null, warnings: [], errors };
  }
}

function unknownFields(text: string): string[] {
  const { frontmatter } = splitSkill(text);
  const read = frontmatter === null ? null : yamlFrontmatter(frontmatter).fields;
  return isObject(read) ? Object.keys(read).filter((field) => !fields.has(field)) : [];
}
