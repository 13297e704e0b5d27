import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../../text/files.ts';
import { KeyedQueue } from '../../text/limiter.ts';
import { fileFailure, refuseSpecial } from './file-failure.ts';
import { pinFolder } from './pinned-folder.ts';
import type { WorkspacePath } from './workspace-path.ts';

/**
 * Replaces a file of the workspace whole, or creates it in an existing folder. The mode and, where permitted, the owner of
 * an existing file are kept.
 *
 * @returns whether the file existed before.
 * @throws ToolFailure `IS_A_FOLDER`, `NOT_A_FILE`, `PERMISSION_DENIED`, …; the signal's reason when it aborts before
 * the replacement.
 */
export async function replaceWorkspaceFile(
  { real, shown }: WorkspacePath,
  content: Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  await using folder = await pinFolder(dirname(real), shown);
  const target = join(folder.path, basename(real));
  try {
    const existing = await replaceable(target, shown);
    await replaceFile(target, content, {
      ...(existing && { prepare: (handle) => keepOwnerAndMode(handle, existing) }),
      mayReplace() {
        signal.throwIfAborted();
        return true;
      },
    });
    return existing !== null;
  } catch (error) {
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
  // A rename needs permission for the folder only, so check the file too: a read-only file must stay as it is.
  await access(target, constants.W_OK);
  return existing;
}

async function keepOwnerAndMode(handle: FileHandle, like: Stats): Promise<void> {
  const own = await handle.stat();
  // Only root may change the owner; any other user keeps the new file. Before chmod, whose effect chown would undo.
  if (own.uid !== like.uid || own.gid !== like.gid) await handle.chown(like.uid, like.gid).catch(() => {});
  await handle.chmod(like.mode & 0o7777);
}

const queue = new KeyedQueue();

/**
 * Runs `work` after all earlier work of this process on the same file, so that two runs that edit one file do not lose
 * each other's changes.
 */
export function withFileLock<Value>(real: string, work: () => Promise<Value>): Promise<Value> {
  return queue.enqueue(real, work);
}
