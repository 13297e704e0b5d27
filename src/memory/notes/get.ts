import { type FileHandle, lstat, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import type { MemoryText } from '../../protocol/ports.ts';
import { openToRead } from '../../text/files.ts';
import { quoted } from '../../text/wording.ts';
import { maxFileBytes } from '../index/files.ts';
import { linesOf } from '../markdown/blocks.ts';
import { minTrusted, sourcesOf } from '../markdown/provenance.ts';

const defaultLines = 100;
const maxLines = 1_000;
const maxChars = 40_000;
const halfCharacter = /[\ud800-\udbff]$/;
/** No part begins with a dot, so none is `.` or `..`. */
const memoryPath = /^(?:MEMORY\.md|memory\/(?:[^./\\\0][^/\\\0]*\/)*[^./\\\0][^/\\\0]*\.(?:md|markdown))$/i;

/**
 * Reads lines of a memory file: `MEMORY.md`, or a Markdown file under `memory/`. The path must match that pattern and is
 * taken literally; links are not followed.
 *
 * @param line the first one, from 1
 * @throws DetentError `MEMORY_PATH` (not the path of a memory file, or a link), `NOT_FOUND`, `PAST_END`.
 */
export async function getLines(
  home: string,
  asked: string,
  { line = 1, limit = defaultLines }: { line?: number | undefined; limit?: number | undefined },
): Promise<MemoryText> {
  const path = checkedPath(asked);
  const lines = linesOf(await readMemoryFile(home, path));
  if (line > Math.max(1, lines.length))
    throw new DetentError('PAST_END', `${path} has ${lines.length} lines; line ${line} is past its end`);
  const shown: string[] = [];
  let chars = 0;
  for (const each of lines.slice(line - 1, line - 1 + Math.min(limit, maxLines))) {
    chars += each.length + 1;
    if (chars > maxChars && shown.length > 0) break;
    shown.push(each.length > maxChars ? `${each.slice(0, maxChars).replace(halfCharacter, '')}…` : each);
  }
  const endLine = line + shown.length - 1;
  const from = minTrusted(sourcesOf(lines).slice(line - 1, endLine));
  return { path, startLine: line, endLine, totalLines: lines.length, text: shown.join('\n'), from };
}

/** @throws DetentError `MEMORY_PATH`. */
export function checkedPath(asked: string): string {
  const path = asked.startsWith('./') ? asked.slice(2) : asked;
  if (path.length <= 1_024 && memoryPath.test(path)) return path;
  throw refused(asked, 'a memory file is MEMORY.md or memory/….md');
}

/** @param path checked @throws DetentError `MEMORY_PATH`, `NOT_FOUND`. */
async function readMemoryFile(home: string, path: string): Promise<string> {
  const root = await realpath(home).catch(() => home);
  await refuseLinks(root, path);
  let handle: FileHandle;
  try {
    handle = await openToRead(join(root, path), { followsLink: false });
  } catch (error) {
    throw unopened(error, path);
  }
  await using file = handle;
  const stat = await file.stat();
  // A folder may have become a link since the check: on Linux the open file descriptor shows the real path.
  const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => null);
  if (opened !== null && opened !== join(root, path)) throw refused(path, 'it leads somewhere else');
  if (!stat.isFile()) throw refused(path, 'it is not a regular file');
  if (stat.size > maxFileBytes) throw refused(path, 'the file is too large');
  return (await file.readFile('utf8')).replace(/^\uFEFF/, '');
}

async function refuseLinks(root: string, path: string): Promise<void> {
  let at = root;
  for (const part of path.split('/')) {
    at = join(at, part);
    const stat = await lstat(at).catch((error) => {
      throw unopened(error, path);
    });
    if (stat.isSymbolicLink()) throw refused(path, 'links are not followed');
  }
}

function unopened(error: unknown, path: string): DetentError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ELOOP') return refused(path, 'links are not followed');
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new DetentError('NOT_FOUND', `there is no ${path}; memory_search lists the existing files`);
  return refused(path, `it cannot be opened (${code})`);
}

function refused(path: string, why: string): DetentError {
  return new DetentError('MEMORY_PATH', `${quoted(path)} cannot be read: ${why}`);
}
