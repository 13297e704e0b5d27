import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDatabaseLink } from './database-files.ts';
import { fileFailure, refuseSpecial } from './file-failure.ts';
import { pinFolder } from './pinned-folder.ts';
import { ofDatabase, type WorkspacePath } from './workspace-path.ts';

// Without O_NONBLOCK, opening a pipe without a writer would block one of libuv's few threads for ever.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file of the workspace for reading. The caller closes it (`await using`).
 *
 * @throws ToolFailure `FILE_NOT_FOUND`, `IS_A_FOLDER`, `NOT_A_FILE`, `PERMISSION_DENIED`, `PATH_OUTSIDE_WORKSPACE`,
 * `PATH_RESERVED` for the database under another name.
 */
export async function openFile({ real, shown, database }: WorkspacePath): Promise<FileHandle> {
  await using folder = await pinFolder(dirname(real), shown);
  let handle: FileHandle | undefined;
  try {
    handle = await open(join(folder.path, basename(real)), readFlags);
    const stat = await handle.stat({ bigint: true });
    refuseSpecial(stat, shown);
    if (database !== null && (await isDatabaseLink(stat, database))) throw ofDatabase(shown);
    return handle;
  } catch (error) {
    await handle?.close();
    throw fileFailure(error, shown);
  }
}
