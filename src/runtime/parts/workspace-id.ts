import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import type { RunPlace } from '../../store/run-options.ts';
import { makePrivateFolder, ownFolderName, privateFileMode, readWholeSync } from '../../text/files.ts';
import { randomId } from '../../text/ids.ts';

/**
 * The workspace among those of other machines: by an id in a file of its own, made once. Null where there is none, and none can be
 * made: nothing that a run does to such a workspace can be missed elsewhere.
 *
 * @throws DetentError `INVALID_WORKSPACE` when the file holds something else.
 */
export function placeOf(folder: string, mayMake: boolean): RunPlace | null {
  const own = join(folder, ownFolderName);
  const file = join(own, 'workspace-id');
  const id = readId(file) ?? (mayMake ? makeId(own, file) : null);
  return id === null ? null : { id, machine: hostname(), folder };
}

function readId(file: string): string | null {
  let text: string;
  try {
    text = String(readWholeSync(file)).trim();
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
  if (/^ws_\w{8,40}$/.test(text)) return text;
  throw new DetentError(
    'INVALID_WORKSPACE',
    `${file} does not hold the id of a workspace: put it back, or remove it, and then runs that used files here need "detent runs resume RUN --here"`,
    { details: { file } },
  );
}

/** Whole under its name, or not there: of two processes the first one's counts. */
function makeId(folder: string, file: string): string | null {
  const mine = `${file}.${randomId('new')}`;
  try {
    makePrivateFolder(folder);
    writeFileSync(mine, `${randomId('ws')}\n`, { flag: 'wx', mode: privateFileMode });
    linkSync(mine, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') {
      if (['EROFS', 'EACCES', 'EPERM'].includes(code)) return null;
      throw error;
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return readId(file);
}

const isAbsent = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
