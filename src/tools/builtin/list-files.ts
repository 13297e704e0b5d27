import * as z from '../../ports/schema-kinds.ts';
import { defineTool, type Tool } from '../../ports/tool.ts';
import { globMatcher } from '../../text/glob.ts';
import { type FileRules, noFileRules } from '../files/file-rules.ts';
import { listFolder } from '../files/list-folder.ts';
import { printablePath } from '../files/walk-folder.ts';
import { resolveInWorkspace } from '../files/workspace-path.ts';

const defaultLimit = 500;
const maxLimit = 5000;
const maxDepth = 20;

const parameters = z.strictObject({
  path: z.string().optional().describe('Folder to list, relative to the workspace; default all of it'),
  glob: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only what matches, from path on: *.ts anywhere below, src/**/*.{ts,tsx}, docs/*.md'),
  depth: z
    .int()
    .min(1)
    .max(maxDepth)
    .optional()
    .describe(`Levels of folders to open; default 1, the folder itself, and with glob ${maxDepth}`),
  limit: z.int().min(1).max(maxLimit).optional().describe(`Most entries to list; default ${defaultLimit}`),
  ignored: z.boolean().optional().describe('List what .gitignore leaves out, too; default false'),
});

/** `list_files`: what is in a folder, or what matches a glob, as paths that the other file tools take. */
export function listFilesTool({ database, tainted }: FileRules = noFileRules): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists files and folders of the workspace, sorted, one path a line; folders end in "/". With glob it finds files ' +
      'by name. What .gitignore leaves out is left out, and so is what is in .git and node_modules, unless path names ' +
      'them.',
    parameters,
    sideEffect: 'readonly',
    async run({ path = '.', glob, depth, limit = defaultLimit, ignored = false }, ctx) {
      const root = await resolveInWorkspace(ctx.workspace, '.', database);
      const folder = await resolveInWorkspace(ctx.workspace, path, database);
      const listing = await listFolder(folder, {
        root,
        depth: depth ?? (glob === undefined ? 1 : maxDepth),
        limit,
        matches: glob === undefined ? null : globMatcher(glob),
        withIgnored: ignored,
        signal: ctx.signal,
      });
      const { lines, more, skipped } = listing;
      const untrusted = await tainted.listIn(ctx.principal.tenantId, root.real);
      const names = new Set(untrusted.map((path) => printablePath(path.split('/'))));
      if (lines.some((line) => names.has(line.replace(/\/?(?: \([a-z ]+\))?$/, '')))) ctx.untrusted?.();
      const notes = [
        more !== null && `${more} more; list a subfolder, or raise limit`,
        skipped.length > 0 && `not opened: ${skipped.join(', ')}`,
        listing.ignored > 0 && `${listing.ignored} left out by .gitignore; set ignored to list them`,
      ].filter((note) => note !== false);
      const nothing = glob === undefined ? 'the folder is empty' : 'nothing matches';
      if (lines.length === 0 && (glob !== undefined || listing.ignored === 0))
        return `[${[nothing, ...notes].join('; ')}]`;
      return notes.length > 0 ? [...lines, `[${notes.join('; ')}]`].join('\n') : lines.join('\n');
    },
  });
}
