import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { readWhole } from '../../text/files.ts';

/** A question, and the places of its answers. */
export interface Question {
  query: string;
  /** Without duplicates; empty for a question without judgements. */
  relevant: readonly Place[];
}

/** A file, or a line of it, counted from 1. */
export interface Place {
  path: string;
  line: number | undefined;
}

const questionsFile = 'queries.jsonl';

/**
 * The folders with questions: `folder` itself, or its subfolders.
 *
 * @throws DetentError `NOT_FOUND` when there are none.
 */
export async function treesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new DetentError('NOT_FOUND', `there is no folder ${folder}`);
  });
  if (entries.some(({ name }) => name === questionsFile)) return [folder];
  const trees: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const inner = join(folder, entry.name);
    const names = await readdir(inner).catch((): string[] => []);
    if (names.includes(questionsFile)) trees.push(inner);
  }
  if (trees.length > 0) return trees.sort();
  const message = `${folder} has no ${questionsFile}: one {"query": "…", "relevant": [{"path": "notes.md", "line": 3}]} a line, paths from that folder, "line" where it matters`;
  throw new DetentError('NOT_FOUND', message);
}

/** @throws DetentError `INVALID_ARGUMENTS` for an invalid line. */
export async function questionsOf(tree: string): Promise<Question[]> {
  const text = (await readWhole(join(tree, questionsFile))).toString().replace(/^\uFEFF/, '');
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const question = questionIn(parseJson(line));
    if (question) return [question];
    const message = `${join(tree, questionsFile)}, line ${i + 1}, is no {"query": "…", "relevant": [{"path": "…"}]}, with a whole number from 1 as "line" where it matters`;
    throw new DetentError('INVALID_ARGUMENTS', message);
  });
}

function questionIn(value: unknown): Question | null {
  if (!isObject(value) || typeof value.query !== 'string' || !Array.isArray(value.relevant)) return null;
  const places = new Map<string, Place>();
  for (const each of value.relevant) {
    if (!isObject(each) || typeof each.path !== 'string') return null;
    const line = each.line ?? undefined;
    if (line !== undefined && !(Number.isSafeInteger(line) && Number(line) >= 1)) return null;
    const path = plainPath(each.path);
    places.set(`${path}:${line ?? ''}`, { path, line: line as number | undefined });
  }
  return { query: value.query, relevant: [...places.values()] };
}

/** Normalises a path: `./a.md` and `a.md` are the same file, as are names in different Unicode forms. */
export function plainPath(path: string): string {
  return posix.normalize(path.replaceAll('\\', '/')).normalize('NFC');
}
