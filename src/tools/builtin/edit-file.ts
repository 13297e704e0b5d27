import { type ArgumentsOf, defineTool, ownArguments, type Tool, ToolFailure } from '../../protocol/tool.ts';
import { quoted } from '../../text/wording.ts';
import { unifiedDiff } from '../files/diff-text.ts';
import { applyEdit, type ExactEdit, editFate } from '../files/exact-edit.ts';
import { type FileRules, noFileRules, resolveForWriting } from '../files/file-rules.ts';
import { openFile } from '../files/open-file.ts';
import { replaceWorkspaceFile, withFileLock } from '../files/replace-file.ts';
import { resolveInWorkspace, type WorkspacePath } from '../files/workspace-path.ts';

const maxBytes = 20 * 1024 * 1024;

const parameters = ownArguments(
  {
    path: { type: 'string', description: 'File to edit, relative to the workspace' },
    old_text: {
      type: 'string',
      minLength: 1,
      description: 'The exact text to replace, with its white space and line ends',
    },
    new_text: { type: 'string', description: 'What to put in its place; taken literally' },
  },
  { replace_all: { type: 'boolean', description: 'Replace every occurrence; default false' } },
);

/** `edit_file`: one exact replacement. After a crash the file shows whether it ran, see {@link editFate}. */
export function editFileTool(rules: FileRules = noFileRules): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces text in a file of the workspace. old_text must occur exactly once, character by character as ' +
      'read_file shows it, unless replace_all is set.',
    parameters,
    sideEffect: 'probe',
    grantBy: ['path'],
    writes: ({ path }) => [path],
    async run(args, ctx) {
      const file = await resolveForWriting(ctx, args.path, rules);
      // The lock covers reading and replacing: an edit in between would be lost.
      return withFileLock(file.real, async () => {
        const { content, count, line } = applyEdit(await readUtf8(file), editOf(args));
        await replaceWorkspaceFile(file, Buffer.from(content), ctx.signal);
        return count === 1
          ? `edited ${file.shown} at line ${line}`
          : `edited ${file.shown}: ${count} replacements`;
      });
    },
    async preview(args, { workspace, redact }) {
      const file = await resolveInWorkspace(workspace, args.path, rules.database);
      const before = await readUtf8(file);
      const { content, count } = applyEdit(before, editOf(args));
      const diff = await unifiedDiff(file.shown, redact(before), redact(content));
      return { text: diff ?? `${file.shown}: ${count} replacements in a file too large to show as a diff` };
    },
    async status(args, ctx) {
      const file = await resolveInWorkspace(ctx.workspace, args.path, rules.database);
      const fate = editFate(await readUtf8(file), editOf(args));
      if (fate === 'ran') return { ran: true, result: `edited ${file.shown}` };
      return fate === 'notRan' ? { notRan: true } : { unknown: true };
    },
  });
}

function editOf({ old_text, new_text, replace_all = false }: ArgumentsOf<typeof parameters>): ExactEdit {
  return { oldText: old_text, newText: new_text, replaceAll: replace_all };
}

/** The whole text, byte order mark included. Anything but UTF-8 is refused: writing it back would change it. */
async function readUtf8(file: WorkspacePath): Promise<string> {
  await using handle = await openFile(file);
  const { size } = await handle.stat();
  if (size > maxBytes)
    throw new ToolFailure('FILE_TOO_LARGE', `${quoted(file.shown)} is larger than ${maxBytes / 2 ** 20} MB`);
  const bytes = await handle.readFile();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const message = `${quoted(file.shown)} is not UTF-8 text; edit_file cannot change it without damage`;
    throw new ToolFailure('NOT_UTF8', message, { cause: error });
  }
}
