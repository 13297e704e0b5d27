import { closeSync, fstatSync, readSync } from 'node:fs';
import { openToReadSync } from '../../text/files.ts';
import { fileMark } from './file-mark.ts';

/** Larger files are accidents: no model could read them. */
export const maxSkillBytes = 1_000_000;
/** One buffer for all files, because a start may read a thousand of them. */
const first = Buffer.alloc(4_096);
const dashes = Buffer.from('\n---');
const [tab, newline, carriageReturn, space] = [9, 10, 13, 32];

/** The part of a `SKILL.md` that discovery needs: its frontmatter and the lines around it, or the whole file without one. */
export function readHead(path: string): { text: string; mark: string } {
  const file = openToReadSync(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > maxSkillBytes) throw new Error(`it has ${stats.size} bytes, more than ${maxSkillBytes}`);
    let bytes = readBytes(file, first, Math.min(stats.size, first.length));
    let end = endOfFrontmatter(bytes, stats.size);
    if (end === null && stats.size > first.length) {
      bytes = readBytes(file, Buffer.alloc(stats.size), stats.size);
      end = endOfFrontmatter(bytes, stats.size);
    }
    if (bytes.includes(0)) throw new Error('it is not text');
    return { text: bytes.toString('utf8', 0, end ?? bytes.length), mark: fileMark(stats) };
  } finally {
    closeSync(file);
  }
}

/** The index after the second line of dashes; null when these bytes do not contain it. */
function endOfFrontmatter(bytes: Buffer, size: number): number | null {
  for (let at = bytes.indexOf(dashes, 3); at >= 0; at = bytes.indexOf(dashes, at + 1)) {
    let end = at + dashes.length;
    while (bytes[end] === space || bytes[end] === tab || bytes[end] === carriageReturn) end++;
    if (bytes[end] === newline || end === size) return end;
  }
  return null;
}

function readBytes(file: number, into: Buffer, size: number): Buffer {
  let length = 0;
  for (;;) {
    const count = readSync(file, into, length, size - length, length);
    length += count;
    if (count === 0 || length === size) return into.subarray(0, length);
  }
}
