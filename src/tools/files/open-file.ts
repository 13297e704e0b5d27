import { type FileHandle, lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openToRead } from '../../text/files.ts';
import { isDatabaseLink } from './database-files.ts';
import { fileFailure, refuseSpecial } from './file-failure.ts';
import { pinFolder } from './pinned-folder.ts';
import { ofDatabase, type WorkspacePath } from './workspace-path.ts';

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
    const path = join(folder.path, basename(real));
    // Before it is opened: closing a file of the database would drop SQLite's locks on it.
    if (database !== null && (await isDatabaseLink(await lstat(path, { bigint: true }), database)))
      throw ofDatabase(shown);
    handle = await openToRead(path, { followsLink: false });
    refuseSpecial(await handle.stat(), shown);
    return handle;
  } catch (error) {
    await handle?.close();
    throw fileFailure(error, shown);
  }
}
