import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DetentError } from '../protocol/error.ts';

/** An editor that saves at the same time is not overwritten; who saves more often than this is no editor. */
const mostTries = 20;

/**
 * Gives a file another content in one step: whoever reads it, and whoever looks after a crash, finds the old one or the new
 * one whole. Call it under the lock of the memory.
 *
 * @param home may be a link itself.
 * @param path from there.
 * @param change is given what the file holds, null when there is none; null from it leaves all as it is. Called again
 * when the file was changed meanwhile.
 * @returns whether it was changed.
 * @throws DetentError `MEMORY_NOT_A_FILE` when something else is in its place, or a folder on the way is a link.
 */
export async function replaceFile(
  home: string,
  path: string,
  change: (before: string | null) => string | null,
): Promise<boolean> {
  const file = await unlinked(home, path);
  for (let tries = 1; ; tries++) {
    const seen = await look(file);
    const next = change(seen.text);
    if (next === null) return false;
    await mkdir(dirname(file), { recursive: true });
    await removeDrafts(file);
    const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
    try {
      await write(draft, next);
      if (seen.mode !== null) await chmod(draft, seen.mode);
      if ((await look(file)).stamp !== seen.stamp && tries < mostTries) continue;
      await rename(draft, file);
      await syncFolder(dirname(file));
      return true;
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** What a file holds; null when there is none. @throws DetentError `MEMORY_NOT_A_FILE`. */
export async function readText(home: string, path: string): Promise<string | null> {
  return (await look(await unlinked(home, path))).text;
}

/** The path of a file, with no link on the way to it. */
async function unlinked(home: string, path: string): Promise<string> {
  let at = home;
  for (const folder of path.split('/').slice(0, -1)) {
    at = join(at, folder);
    if ((await statOf(at))?.isSymbolicLink())
      throw new DetentError('MEMORY_NOT_A_FILE', `${at} is a link, and none is followed; remove it`);
  }
  return join(home, path);
}

/** Those of processes that died: nobody else writes now. */
async function removeDrafts(file: string): Promise<void> {
  const beginning = `.${basename(file)}.`;
  for (const name of await readdir(dirname(file)))
    if (name.startsWith(beginning) && /^[0-9a-f]{12}$/.test(name.slice(beginning.length)))
      await rm(join(dirname(file), name), { force: true });
}

async function look(file: string): Promise<{ text: string | null; mode: number | null; stamp: string }> {
  const stat = await statOf(file);
  if (stat === null) return { text: null, mode: null, stamp: '' };
  if (!stat.isFile())
    throw new DetentError('MEMORY_NOT_A_FILE', `${file} is no regular file; move it away, or remove it`);
  const { ino, size, mtimeNs } = stat;
  return {
    text: await readFile(file, 'utf8'),
    mode: Number(stat.mode) & 0o777,
    stamp: `${ino} ${size} ${mtimeNs}`,
  };
}

/** Of what a path names itself; null when it names nothing. */
async function statOf(path: string): Promise<BigIntStats | null> {
  return lstat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** So that the new name survives a power cut, where the system can. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch {
    // Windows cannot.
  }
}
