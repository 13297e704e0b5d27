import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { noTaintedFiles, type TaintedFiles } from '../../protocol/ports.ts';
import { type ToolContext, ToolFailure } from '../../protocol/tool.ts';
import { quoted } from '../../text/wording.ts';
import { whyGuardedWithout } from './file-guard.ts';
import { executorOf } from './guarded-paths.ts';
import { isInside, noWorkspace, resolveInWorkspace, type WorkspacePath } from './workspace-path.ts';

/** Which files tools may not use at all, and which they write only when a person agreed. */
export interface FileRules {
  /** The database, which no tool uses; absolute, null when there is none in a file. */
  database: string | null;
  /** Further guarded files and folders, such as those that the configuration imports; absolute. */
  guarded: readonly string[];
  /** Which files hold untrusted text. */
  tainted: TaintedFiles;
  /** Performs what may write, for a host that must know what was changed meanwhile. */
  whileWriting?<T>(work: () => Promise<T>): Promise<T>;
}

/** Performs what may write files of a workspace. */
export function performWriting<T>({ whileWriting }: FileRules, work: () => Promise<T>): Promise<T> {
  return whileWriting ? whileWriting(work) : work();
}

export const noFileRules: FileRules = { database: null, guarded: [], tainted: noTaintedFiles };

/**
 * Why writing a path asks a person whatever the policy says: `.git/hooks/pre-commit, by which git can be made to execute
 * something`. Null for other files, and for paths that no tool may write.
 */
export async function whyGuarded(
  workspace: string | null,
  path: string,
  { database, guarded }: FileRules,
): Promise<string | null> {
  if (workspace === null) return whyGuardedWithout(path);
  try {
    const file = await resolveInWorkspace(workspace, path, database);
    return await guardOf(file, { workspace, path, guarded });
  } catch (error) {
    // The call will fail with this.
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}

/**
 * Resolves a path that a tool is about to write, as {@link resolveInWorkspace} does. A guarded file needs a person's
 * approval for exactly that: policy has asked for one, unless a folder on the path was replaced by a link since.
 *
 * @throws ToolFailure `PATH_GUARDED`, and as {@link resolveInWorkspace}.
 */
export async function resolveForWriting(
  { workspace, mayWriteGuarded }: Pick<ToolContext, 'workspace' | 'mayWriteGuarded'>,
  path: string,
  { database, guarded }: FileRules,
): Promise<WorkspacePath> {
  if (workspace === null) throw noWorkspace();
  const file = await resolveInWorkspace(workspace, path, database);
  const why = mayWriteGuarded ? null : await guardOf(file, { workspace, path, guarded });
  if (why === null) return file;
  throw new ToolFailure(
    'PATH_GUARDED',
    `${quoted(path)} is now ${why}: that needs a person's approval, and was not asked; call the tool again`,
  );
}

async function guardOf(
  { real, shown }: WorkspacePath,
  { workspace, path, guarded }: { workspace: string; path: string; guarded: readonly string[] },
): Promise<string | null> {
  const root = await realpath(workspace);
  const executor =
    // The path as written counts, too: `.git` may be a link to a folder with another name.
    executorOf(shown.split('/')) ??
    executorOf(asWritten(workspace, root, path)) ??
    (await guardedBy(real, guarded)) ??
    (await repositoryAround(root, real));
  return executor === null ? null : `${shown}, by which ${executor} can be made to execute something`;
}

function asWritten(workspace: string, root: string, path: string): string[] {
  const wanted = resolve(root, path);
  return relative(isInside(root, wanted) ? root : resolve(workspace), wanted).split(sep);
}

async function guardedBy(real: string, guarded: readonly string[]): Promise<string | null> {
  for (const entry of guarded) {
    const own = await realpath(entry).catch(() => entry);
    if (isInside(fold(own), fold(real)) || isInside(fold(entry), fold(real))) return 'Detent';
  }
  return null;
}

const fold = (path: string) => path.normalize('NFKC').toLowerCase();

/** Git takes any folder with these for a repository, whatever its name, and executes what its `config` and `hooks` say. */
async function repositoryAround(root: string, real: string): Promise<string | null> {
  for (let folder = dirname(real); isInside(root, folder); folder = dirname(folder)) {
    const [head, objects] = await Promise.all(
      ['HEAD', 'objects'].map((name) => lstat(join(folder, name)).catch(() => null)),
    );
    if (head && objects) return 'git';
    if (folder === root) break;
  }
  return null;
}
