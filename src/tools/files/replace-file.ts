import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileFailure, refuseSpecial } from './file-failure.ts';
import { pinFolder } from './pinned-folder.ts';
import type { WorkspacePath } from './workspace-path.ts';

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/**
 * Replaces a file's content, or creates the file in an existing folder: readers and crashes see the old content or
 * the new, never a part. The mode and, where permitted, the owner of an existing file are kept.
 *
 * @returns whether the file existed before.
 * @throws ToolFailure `IS_A_FOLDER`, `NOT_A_FILE`, `PERMISSION_DENIED`, …; the signal's reason when it aborts before
 * the replacement.
 */
export async function replaceFile(
  { real, shown }: WorkspacePath,
  content: Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  await using folder = await pinFolder(dirname(real), shown);
  const target = join(folder.path, basename(real));
  // Not named after the file, whose name may already be as long as a name can be.
  const temporary = join(folder.path, `.detent-${randomUUID()}.tmp`);
  try {
    const existing = await replaceable(target, shown);
    await writeDurably(temporary, content, existing);
    signal.throwIfAborted();
    await rename(temporary, target);
    await folder.sync();
    return existing !== null;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileFailure(error, shown);
  }
}

async function replaceable(target: string, shown: string): Promise<Stats | null> {
  const existing = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!existing) return null;
  refuseSpecial(existing, shown);
  // A rename asks the folder alone for permission; a file marked read-only is meant to stay as it is.
  await access(target, constants.W_OK);
  return existing;
}

async function writeDurably(temporary: string, content: Uint8Array, like: Stats | null): Promise<void> {
  await using handle = await open(temporary, createFlags, 0o666);
  await handle.writeFile(content);
  if (like) await keepOwnerAndMode(handle, like);
  await handle.sync();
}

async function keepOwnerAndMode(handle: FileHandle, like: Stats): Promise<void> {
  const own = await handle.stat();
  // Only root may give files away; for everyone else the new file is theirs. Before chmod, which it would undo.
  if (own.uid !== like.uid || own.gid !== like.gid) await handle.chown(like.uid, like.gid).catch(() => {});
  await handle.chmod(like.mode & 0o7777);
}
