import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Larger is no skill but an accident; a model could not read it. */
export const mostSkillBytes = 1_000_000;
const firstBytes = 8_192;

/** A file as it is known by: another one, or a changed one, has another mark. */
export interface FileMark {
  path: string;
  mark: string;
}

// Without O_NONBLOCK, opening a pipe that nobody writes to would hold the process for ever.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The beginning of a `SKILL.md`, frontmatter included: what is needed of a skill before it is used. */
export function readHead(path: string): { text: string; mark: string } {
  const file = openSync(path, flags);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is no file');
    if (stats.size > mostSkillBytes)
      throw new Error(`it has ${stats.size} bytes, more than ${mostSkillBytes}`);
    let bytes = read(file, Math.min(stats.size, firstBytes));
    if (stats.size > firstBytes && !/\n---[ \t]*\r?\n/.test(bytes.toString('latin1')))
      bytes = read(file, stats.size);
    if (bytes.includes(0)) throw new Error('it is no text');
    return { text: bytes.toString('utf8'), mark: `${stats.ino} ${stats.size} ${stats.mtimeMs}` };
  } finally {
    closeSync(file);
  }
}

function read(file: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (;;) {
    const count = readSync(file, bytes, length, size - length, length);
    length += count;
    if (count === 0 || length === size) return bytes.subarray(0, length);
  }
}
