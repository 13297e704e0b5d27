import { constants } from 'node:fs';
import { mkdir, open, readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolFailure } from '../../protocol/tool.ts';
import { quoted } from '../../text/wording.ts';
import { fileFailure } from './file-failure.ts';

/** An open folder. Paths under `path` keep meaning this folder after it was moved or replaced. */
interface PinnedFolder extends AsyncDisposable {
  readonly path: string;
}

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a folder that was found to be in the workspace, and checks that it still is: between the check of a path and its
 * use, another process can swap a folder for a link. On Linux later operations go through the open folder
 * (`/proc/self/fd`, Node's only `openat`). Elsewhere a short race remains.
 *
 * @param real absolute path without links.
 * @throws ToolFailure `PATH_OUTSIDE_WORKSPACE` when something else is there by now, `FILE_NOT_FOUND`, `NOT_A_FOLDER`.
 */
export async function pinFolder(real: string, shown: string): Promise<PinnedFolder> {
  const handle = await open(real, folderFlags).catch((error) => {
    throw fileFailure(error, shown);
  });
  const through = `/proc/self/fd/${handle.fd}`;
  const opened = await readlink(through).catch(() => null);
  if (opened !== null && opened !== real) {
    await handle.close();
    const message = `${quoted(shown)} cannot be used: a folder on its way was moved just now; try again`;
    throw new ToolFailure('PATH_OUTSIDE_WORKSPACE', message);
  }
  return {
    path: opened === null ? real : through,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Makes a folder and those above it, one by one, each in its pinned parent. */
export async function makeFolder(real: string, shown: string): Promise<void> {
  if (await exists(real, shown)) return;
  await makeFolder(dirname(real), shown);
  await using parent = await pinFolder(dirname(real), shown);
  try {
    await mkdir(join(parent.path, basename(real)));
  } catch (error) {
    // Another call may have made it meanwhile: pinning it checks what it is.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileFailure(error, shown);
  }
}

async function exists(real: string, shown: string): Promise<boolean> {
  try {
    await using _folder = await pinFolder(real, shown);
    return true;
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'FILE_NOT_FOUND') return false;
    throw error;
  }
}
