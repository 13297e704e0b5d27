import { dirname } from 'node:path';
import * as z from 'zod';
import { defineTool, type Tool } from '../../agent/tool.ts';
import { DetentError } from '../../protocol/error.ts';
import { resolveInWorkspace, type WorkspacePath } from '../workspace-path.ts';
import { withFileLock } from './files/file-lock.ts';
import { openFile } from './files/open-file.ts';
import { makeFolder } from './files/pinned-folder.ts';
import { replaceFile } from './files/replace-file.ts';

/** `write_file`: a whole file at once. Its fate after a crash is read off the file: same content = it ran. */
export function writeFileTool(): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a whole text file of the workspace, creating it and its folders, or replacing all of its content. ' +
      'To change a part of a file, use edit_file.',
    parameters: z.strictObject({
      path: z.string().describe('File to write, relative to the workspace'),
      content: z.string().describe('The complete new content of the file'),
    }),
    sideEffect: 'probe',
    async run({ path, content }, ctx) {
      const file = await resolveInWorkspace(ctx.workspace, path);
      const bytes = Buffer.from(content);
      await makeFolder(dirname(file.real), file.shown);
      const existed = await withFileLock(file.real, () => replaceFile(file, bytes, ctx.signal));
      return `${existed ? 'overwrote' : 'created'} ${file.shown} (${sizeOf(bytes)})`;
    },
    async status({ path, content }, ctx) {
      const file = await resolveInWorkspace(ctx.workspace, path);
      const bytes = Buffer.from(content);
      if (!(await holds(file, bytes))) return { notRan: true };
      return { ran: true, result: `wrote ${file.shown} (${sizeOf(bytes)})` };
    },
  });
}

async function holds(file: WorkspacePath, bytes: Buffer): Promise<boolean> {
  try {
    await using handle = await openFile(file);
    return (await handle.stat()).size === bytes.length && bytes.equals(await handle.readFile());
  } catch (error) {
    if (DetentError.is(error) && error.code === 'FILE_NOT_FOUND') return false;
    throw error;
  }
}

function sizeOf(bytes: Buffer): string {
  return bytes.length === 1 ? '1 byte' : `${bytes.length} bytes`;
}
