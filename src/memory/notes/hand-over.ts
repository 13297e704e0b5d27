import { existsSync } from 'node:fs';
import { lstat, readdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { makePrivateFolder, readWhole } from '../../text/files.ts';
import { changeFile } from './change-file.ts';
import { whileWriting } from './write-lock.ts';

/** How often a writer may come between: each writes a line, and there is none when the guest has gone. */
const maxTries = 50;

/**
 * Gives the memory of a guest to a user: each file is in one of the two folders at any time, or in both if the process dies within;
 * the next attempt goes on. At the end the guest's folder is a link to the user's, for calls that began before.
 *
 * @param from the home of the guest
 * @param to that of the user, beside it
 */
export async function handOver(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      const stat = await lstat(from).catch(nullIfAbsent);
      if (stat?.isSymbolicLink()) return;
      if (stat === null) {
        makePrivateFolder(to);
        await symlink(basename(to), from);
      } else if (existsSync(to)) await whileWriting(to, () => whileWriting(from, () => merge(from, to)));
      else await rename(from, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (tries >= maxTries || !['EEXIST', 'ENOENT', 'ENOTEMPTY'].includes(code ?? '')) throw error;
    }
}

async function merge(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    // Locks and the index, which is made anew.
    if (!entry.isFile() || path.startsWith('.')) continue;
    const file = join(from, path);
    if (!existsSync(join(to, path))) {
      makePrivateFolder(dirname(join(to, path)));
      await rename(file, join(to, path));
      continue;
    }
    const said = (await readWhole(file, { followsLink: false })).toString();
    await changeFile(to, path, (before) => withText(before ?? '', said));
    await unlink(file);
  }
  await rm(from, { recursive: true });
}

/** Null if the text has it already: the process of an earlier attempt died before the file of the guest was gone. */
function withText(before: string, said: string): string | null {
  const [title = ''] = before.split('\n', 1);
  const added = (title !== '' && said.startsWith(`${title}\n`) ? said.slice(title.length) : said).trim();
  return before.includes(added) ? null : `${before.trimEnd()}\n\n${added}\n`;
}

/** Deletes the memory of a user, with its index. */
export async function eraseHome(home: string): Promise<void> {
  const stat = await lstat(home).catch(nullIfAbsent);
  if (stat?.isSymbolicLink()) await unlink(home);
  else if (stat) await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
