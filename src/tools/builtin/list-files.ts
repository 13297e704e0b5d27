import * as z from 'zod';
import { defineTool, type Tool } from '../../agent/tool.ts';
import { resolveInWorkspace } from '../workspace-path.ts';
import { listFolder } from './files/list-folder.ts';

const defaultLimit = 500;
const maxLimit = 5000;

/** `list_files`: what is in a folder, as paths that the other file tools take. */
export function listFilesTool(): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists files and folders of the workspace, sorted, one path a line; folders end in "/". ' +
      'What is in .git and node_modules is left out, unless path names them.',
    parameters: z.strictObject({
      path: z.string().optional().describe('Folder to list, relative to the workspace; default all of it'),
      depth: z
        .int()
        .min(1)
        .max(20)
        .optional()
        .describe('Levels of folders to open; default 1, the folder itself'),
      limit: z
        .int()
        .min(1)
        .max(maxLimit)
        .optional()
        .describe(`Most entries to list; default ${defaultLimit}`),
    }),
    sideEffect: 'readonly',
    async run({ path = '.', depth = 1, limit = defaultLimit }, ctx) {
      const folder = await resolveInWorkspace(ctx.workspace, path);
      const { lines, more, skipped } = await listFolder(folder, { depth, limit, signal: ctx.signal });
      if (lines.length === 0) return '[the folder is empty]';
      const notes = [
        more && `${more} more; list a subfolder, or raise limit`,
        skipped.length > 0 && `not opened: ${skipped.join(', ')}`,
      ].filter((note) => note !== false && note !== null);
      return notes.length > 0 ? `${lines.join('\n')}\n[${notes.join('; ')}]` : lines.join('\n');
    },
  });
}
