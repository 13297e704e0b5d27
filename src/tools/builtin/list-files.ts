import { defineTool, ownArguments, type Tool } from '../../protocol/tool.ts';
import { type FileRules, noFileRules } from '../files/file-rules.ts';
import { globMatcher, type PathMatcher } from '../files/glob.ts';
import { printablePath, type WalkOptions, walkFolder } from '../files/walk-folder.ts';
import { resolveInWorkspace, type WorkspacePath } from '../files/workspace-path.ts';

const defaultLimit = 500;
const maxLimit = 5000;
const maxDepth = 20;

const parameters = ownArguments(
  {},
  {
    path: { type: 'string', description: 'Folder to list, relative to the workspace; default all of it' },
    glob: {
      type: 'string',
      minLength: 1,
      maxLength: 1_000,
      description: 'Only what matches, from path on: *.ts anywhere below, src/**/*.{ts,tsx}, docs/*.md',
    },
    depth: {
      type: 'integer',
      minimum: 1,
      maximum: maxDepth,
      description: `Levels of folders to open; default 1, the folder itself, and with glob ${maxDepth}`,
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: maxLimit,
      description: `Most entries to list; default ${defaultLimit}`,
    },
    ignored: { type: 'boolean', description: 'List what .gitignore leaves out, too; default false' },
  },
);

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

interface ListOptions extends WalkOptions {
  limit: number;
  /** Lists only matching entries, by their path from the folder on; null lists all. */
  matches: PathMatcher | null;
}

interface FolderListing {
  lines: string[];
  /** How many entries `limit` left out, `at least …` when not all were counted; null for none. */
  more: string | null;
  /** Folders that were not opened because of their name, at most five. */
  skipped: string[];
  /** Number of entries that `.gitignore` files leave out, not counting the contents of folders. */
  ignored: number;
}

/** Maximum entries that one call walks over, so that a large `depth` on a home folder ends. */
const maxWalked = 20_000;

/**
 * Lists a folder in order of path (by code unit), without following links out of it.
 *
 * @throws ToolFailure `FILE_NOT_FOUND`, `NOT_A_FOLDER`, `PERMISSION_DENIED` for the folder itself; folders inside
 * that cannot be read are marked.
 */
async function listFolder(folder: WorkspacePath, options: ListOptions): Promise<FolderListing> {
  const { depth, limit, matches } = options;
  const lines: string[] = [];
  const skipped: string[] = [];
  const counts = { ignored: 0 };
  const above = folder.shown === '.' ? 0 : folder.shown.split('/').length;
  let walked = 0;
  let listed = 0;
  for await (const entry of walkFolder(folder, options, counts)) {
    if (walked === maxWalked) break;
    walked += 1;
    const { segments, kind } = entry;
    const path = printablePath(segments);
    const isDeep = segments.length - above < depth;
    if (entry.isClosed && isDeep && skipped.length < 5) skipped.push(`${path}/`);
    if (matches && !matches(segments.slice(above))) continue;
    listed += 1;
    if (lines.length >= limit) continue;
    if (kind === 'folder') lines.push(entry.isUnreadable ? `${path}/ (cannot be read)` : `${path}/`);
    else lines.push(kind === 'link' ? `${path} (symbolic link)` : path);
  }
  const left = listed - lines.length;
  const more = walked >= maxWalked ? `at least ${left}` : left > 0 ? String(left) : null;
  return { lines, more, skipped, ignored: counts.ignored };
}
