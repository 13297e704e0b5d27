import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import { type Tool, type ToolContext, ToolFailure } from '../../protocol/tool.ts';
import type { FileRules } from './file-rules.ts';
import { openFile } from './open-file.ts';
import { resolveInWorkspace, type WorkspacePath } from './workspace-path.ts';

/** The tool whose calls leave nothing of what a file held. */
const replacing = 'write_file';

/**
 * Performs a call, and keeps the record of the files with untrusted text that it writes: before it writes, in case the process
 * dies, and after it, with their content. A file that a run without such text replaces whole is none of them any more.
 */
export async function notingWrites<T>(
  tool: Tool,
  args: unknown,
  ctx: ToolContext,
  { database, tainted }: FileRules,
  perform: () => Promise<T>,
): Promise<T> {
  const files = await filesOf(tool, args, ctx.workspace, database);
  if (files.length === 0) return perform();
  const { tenantId: tenant } = ctx.principal;
  const isBound = await tainted.isBound(ctx);
  const noted: WorkspacePath[] = [];
  for (const file of files) {
    const content = await contentOf(file);
    const read = async () => content ?? new Uint8Array();
    if (!isBound && !(await tainted.has(tenant, file.real, { bytes: content?.length ?? 0, read }))) continue;
    noted.push(file);
    // Names are text, too.
    if (isBound) for (const made of await missingFolders(file.real)) await tainted.add(tenant, made, null);
    await tainted.add(tenant, file.real, null);
  }
  try {
    const result = await perform();
    if (!isBound && tool.name === replacing) for (const { real } of noted) await tainted.remove(tenant, real);
    return result;
  } finally {
    if (isBound || tool.name !== replacing)
      for (const file of noted) await tainted.add(tenant, file.real, await contentOf(file));
  }
}

/** The files that a call says it writes; those that no tool may write fail later. */
async function filesOf(
  tool: Tool,
  args: unknown,
  workspace: string | null,
  database: string | null,
): Promise<WorkspacePath[]> {
  const paths = tool.writes?.(args) ?? [];
  if (paths === 'anything') return [];
  const files: WorkspacePath[] = [];
  for (const path of paths) {
    try {
      files.push(await resolveInWorkspace(workspace, path, database));
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
    }
  }
  return files;
}

/** Null for a file that is not there, or that is none. */
async function contentOf(file: WorkspacePath): Promise<Uint8Array | null> {
  try {
    await using handle = await openFile(file);
    return await handle.readFile();
  } catch (error) {
    if (DetentError.is(error)) return null;
    throw error;
  }
}

async function missingFolders(path: string): Promise<string[]> {
  const folder = dirname(path);
  const isThere = await lstat(folder).then(
    () => true,
    () => false,
  );
  return isThere || folder === path ? [] : [...(await missingFolders(folder)), folder];
}
