import { closeSync, fstatSync, lstatSync, readSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../protocol/error.ts';
import { openToReadSync } from '../../text/files.ts';
import { readRegularFile } from '../code/regular-file.ts';
import { isThere, othersWhoWrite } from './writers.ts';

/** Where the repositories stand whose working copies have files of a folder, by the folder of each `.git`. */
export type Repositories = Readonly<Record<string, string>>;

/** Of the log of HEAD, whose end says what was done last. */
const maxLogBytes = 64 * 1024;
const hash = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
/** These write no file of the working copy. */
const committed = /^([0-9a-f]+) ([0-9a-f]+) [^\t]*\tcommit( \((amend|initial)\))?: [^\t]*$/;
const otherSystems = ['.hg', '.svn', '.jj', '.bzr', '.fslckout', '_darcs', '.pijul', 'CVS'];

/** @throws Error that says why it cannot be told whether files came by a checkout. */
export function repositoriesOf(folders: Iterable<string>): Repositories {
  const found: Record<string, string> = {};
  for (const folder of folders) {
    const other = otherSystems.find((name) => isThere(join(folder, name)));
    if (other) throw new Error(`${join(folder, other)}: only checkouts of git can be told`);
    if (isThere(join(folder, '.git'))) found[folder] = stateOf(folder);
  }
  return found;
}

/** Why files may have come by git since; commits alone bring none. Paths that git moves no ref for are not seen. */
export function checkoutsSince(before: Repositories, now: Repositories): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((folder) => {
    const [old, state] = [before[folder], now[folder]];
    if (old === state) return [];
    const git = join(folder, '.git');
    if (state === undefined) return isThere(git) ? [] : [`${git} is gone`];
    if (old === undefined) return [`${git} is new`];
    return hasOnlyCommits(folder, old, state) ? [] : [`git has moved HEAD of ${folder} since then`];
  });
}

/** HEAD, the commit that it is, and the last line of its log. */
function stateOf(folder: string): string {
  const git = gitFolderOf(folder);
  try {
    const shared = isThere(join(git, 'commondir')) ? resolve(git, lineOf(join(git, 'commondir'))) : git;
    if (isThere(join(git, 'index.lock'))) throw new Error('git is running');
    if (isThere(join(shared, 'reftable')))
      throw new Error('its refs are in a format that Detent does not read');
    const [others] = othersWhoWrite(git, [join(git, 'HEAD'), logFile(git)].filter(isThere));
    if (others !== undefined) throw new Error(others);
    const head = lineOf(join(git, 'HEAD'));
    const commit = commitOf(head, shared);
    const last = logOf(git).at(-1) ?? '';
    const [, logged = ''] = last.split(' ');
    if (commit !== '' && logged !== commit)
      throw new Error('its reflog does not say how HEAD came to its commit');
    return [head, commit, last].join('\n');
  } catch (error) {
    throw new Error(`${git}: ${messageOf(error)}`);
  }
}

/** The folder `.git`, or the one that a file `.git` names, in a worktree or a submodule. */
function gitFolderOf(folder: string): string {
  const git = join(folder, '.git');
  if (lstatSync(git).isDirectory()) return git;
  const [others] = othersWhoWrite(folder, [git]);
  const [, named] = /^gitdir: (.+)$/.exec(others === undefined ? lineOf(git) : '') ?? [];
  if (named === undefined) throw new Error(others ?? `${git} names no folder`);
  return realpathSync(resolve(folder, named));
}

/** Empty before the first commit. */
function commitOf(head: string, shared: string): string {
  if (hash.test(head)) return head;
  const [, ref] = /^ref: (refs\/[^\s]+)$/.exec(head) ?? [];
  if (ref === undefined || ref.split('/').includes('..'))
    throw new Error('HEAD is neither a branch nor a commit');
  if (isThere(join(shared, ref))) {
    const commit = lineOf(join(shared, ref));
    if (!hash.test(commit)) throw new Error(`${ref} is not a commit`);
    return commit;
  }
  const packed = join(shared, 'packed-refs');
  const lines = isThere(packed) ? readRegularFile(packed).toString('utf8').split('\n') : [];
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? '';
}

function hasOnlyCommits(folder: string, before: string, now: string): boolean {
  const [[head, , last = ''], [headNow, commit]] = [before.split('\n'), now.split('\n')];
  if (head !== headNow) return false;
  const lines = logOf(gitFolderOf(folder));
  const at = last === '' ? -1 : lines.lastIndexOf(last);
  if (last !== '' && at < 0) return false;
  let [, from = ''] = last.split(' ');
  for (const line of lines.slice(at + 1)) {
    const [, old = '', next = ''] = committed.exec(line) ?? [];
    if (next === '' || (from !== '' && old !== from) || (from === '' && !/^0+$/.test(old))) return false;
    from = next;
  }
  return from === commit;
}

/** The last lines of the log of HEAD; none where it has none. */
function logOf(git: string): string[] {
  const path = logFile(git);
  if (!isThere(path)) return [];
  const fd = openToReadSync(path);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('its reflog is not a regular file');
    const from = Math.max(0, stat.size - maxLogBytes);
    const bytes = Buffer.alloc(stat.size - from);
    const length = readSync(fd, bytes, 0, bytes.length, from);
    const lines = bytes.subarray(0, length).toString('utf8').split('\n');
    // The first one may be cut.
    return lines.slice(from > 0 ? 1 : 0).filter((line) => line !== '');
  } finally {
    closeSync(fd);
  }
}

const logFile = (git: string) => join(git, 'logs', 'HEAD');

function lineOf(path: string): string {
  return readRegularFile(path).toString('utf8').trimEnd();
}
