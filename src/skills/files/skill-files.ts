import { createHash } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { ToolFailure } from '../../protocol/tool.ts';
import { openToRead } from '../../text/files.ts';
import { isInside } from './scan.ts';

const maxFiles = 500;
const maxBytes = 50_000_000;
const maxReadBytes = 200_000;

/** All files of a skill: paths from its folder, sorted. Null when there are too many. */
export async function filesOf(folder: string): Promise<string[] | null> {
  const files: string[] = [];
  const waiting = [folder];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else files.push(relative(folder, path).split(sep).join('/'));
      if (files.length > maxFiles) return null;
    }
  }
  return files.sort();
}

/**
 * SHA-256, in hex, of all files of a skill with their paths. Null when there are too many, when they are too large, or
 * when one is no regular file, because the target of a link can change. Includes `node_modules` and `.git`.
 */
export async function hashOf(folder: string): Promise<string | null> {
  const files = await filesOf(folder);
  if (!files) return null;
  const hash = createHash('sha256');
  let room = maxBytes;
  for (const name of files) {
    const content = await fileBytes(join(folder, name), room);
    if (!content) return null;
    room -= content.length;
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function fileBytes(path: string, most: number): Promise<Buffer | null> {
  try {
    await using file = await openToRead(path, { followsLink: false });
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > most) return null;
    return await file.readFile();
  } catch {
    return null;
  }
}

/**
 * Reads a file of a skill as text.
 *
 * @param path from the folder of the skill, as a model wrote it
 * @throws ToolFailure `FILE_NOT_FOUND`, `PATH_OUTSIDE_SKILL`, `NOT_TEXT`, `FILE_TOO_LARGE`
 */
export async function readSkillFile(folder: string, path: string): Promise<string> {
  const wanted = resolve(folder, path);
  if (path.includes('\0') || !isInside(folder, wanted)) throw outside(path);
  const real = await realpath(wanted).catch((error) => {
    throw notFound(path, error);
  });
  if (!isInside(folder, real)) throw outside(path);
  const bytes = await textBytes(real, path);
  if (bytes.includes(0)) throw new ToolFailure('NOT_TEXT', `${JSON.stringify(path)} is not text`);
  return bytes.toString('utf8');
}

async function textBytes(real: string, path: string): Promise<Buffer> {
  try {
    await using file = await openToRead(real, { followsLink: false });
    const stats = await file.stat();
    if (!stats.isFile()) throw notFound(path);
    if (stats.size > maxReadBytes)
      throw new ToolFailure(
        'FILE_TOO_LARGE',
        `${JSON.stringify(path)} has ${stats.size} bytes, more than ${maxReadBytes}`,
      );
    return await file.readFile();
  } catch (error) {
    throw error instanceof ToolFailure ? error : notFound(path, error);
  }
}

function outside(path: string): ToolFailure {
  return new ToolFailure(
    'PATH_OUTSIDE_SKILL',
    `${JSON.stringify(path.slice(0, 200))} is outside of the skill's folder; give a path from there`,
  );
}

function notFound(path: string, cause?: unknown): ToolFailure {
  return new ToolFailure('FILE_NOT_FOUND', `the skill has no file ${JSON.stringify(path.slice(0, 200))}`, {
    cause,
  });
}
