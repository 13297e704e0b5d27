import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import {
  isInOwnFolder,
  makePrivateFolder,
  privateFileMode,
  readWhole,
  replaceFile,
} from '../../text/files.ts';

/** Maximum attempts, when an editor saves the file at the same time. */
const maxTries = 20;

/**
 * Changes a memory file atomically. Call it under the memory's lock.
 *
 * @param home may be a link itself.
 * @param path relative to `home`.
 * @param change gets the content of the file, null if there is none, and returns the new content, null for no change.
 * Called again when the file has changed meanwhile.
 * @returns whether the file was changed.
 * @throws DetentError `MEMORY_NOT_A_FILE` when the path is no regular file, or a folder on it is a link.
 */
export async function changeFile(
  home: string,
  path: string,
  change: (before: string | null) => string | null,
): Promise<boolean> {
  const file = await unlinked(home, path);
  for (let tries = 1; ; tries++) {
    const seen = await look(file);
    const { mode } = seen;
    const next = change(seen.text);
    if (next === null) return false;
    const isPrivate = isInOwnFolder(home);
    if (isPrivate) makePrivateFolder(dirname(file));
    else await mkdir(dirname(file), { recursive: true });
    await removeDrafts(file);
    const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
    const isReplaced = await replaceFile(file, next, {
      draft,
      ...(isPrivate && { mode: privateFileMode }),
      prepare: async (handle) => void (mode !== null && (await handle.chmod(mode))),
      mayReplace: async () => (await look(file)).stamp === seen.stamp || tries >= maxTries,
    });
    if (isReplaced) return true;
  }
}

/** The content of a file; null if there is none. @throws DetentError `MEMORY_NOT_A_FILE`. */
export async function readText(home: string, path: string): Promise<string | null> {
  return (await look(await unlinked(home, path))).text;
}

/** The path of a file, after a check that no folder on it is a link. */
async function unlinked(home: string, path: string): Promise<string> {
  let at = home;
  for (const folder of path.split('/').slice(0, -1)) {
    at = join(at, folder);
    if ((await statOf(at))?.isSymbolicLink())
      throw new DetentError('MEMORY_NOT_A_FILE', `${at} is a link, and Detent follows no links; remove it`);
  }
  return join(home, path);
}

/** Removes drafts of processes that died. Safe, because the lock excludes other writers. */
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
    throw new DetentError('MEMORY_NOT_A_FILE', `${file} is not a regular file; move it away, or delete it`);
  const { ino, size, mtimeNs } = stat;
  return {
    text: (await readWhole(file, { followsLink: false })).toString(),
    mode: Number(stat.mode) & 0o777,
    stamp: `${ino} ${size} ${mtimeNs}`,
  };
}

/** `lstat` of a path; null when it does not exist. */
async function statOf(path: string): Promise<BigIntStats | null> {
  return lstat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
