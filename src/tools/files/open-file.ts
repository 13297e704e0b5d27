import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileFailure, refuseSpecial } from './file-failure.ts';
import { pinFolder } from './pinned-folder.ts';
import type { WorkspacePath } from './workspace-path.ts';

// Without O_NONBLOCK, opening a pipe without a writer would block one of libuv's few threads for ever.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file of the workspace for reading. The caller closes it (`await using`).
 *
 * @throws ToolFailure `FILE_NOT_FOUND`, `IS_A_FOLDER`, `NOT_A_FILE`, `PERMISSION_DENIED`, `PATH_OUTSIDE_WORKSPACE`.
 */
export async function openFile({ real, shown }: WorkspacePath): Promise<FileHandle> {
  await using folder = await pinFolder(dirname(real), shown);
  let handle: FileHandle | undefined;
  try {
    handle = await open(join(folder.path, basename(real)), readFlags);
    refuseSpecial(await handle.stat(), shown);
    return handle;
  } catch (error) {
    await handle?.close();
    throw fileFailure(error, shown);
  }
}
