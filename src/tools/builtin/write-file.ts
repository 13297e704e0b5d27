import { isUtf8 } from 'node:buffer';
import { dirname } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import {
  type CallPreview,
  defineTool,
  ownArguments,
  type PreviewContext,
  type Tool,
  ToolFailure,
} from '../../protocol/tool.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { quoted } from '../../text/wording.ts';
import { shortened, unifiedDiff } from '../files/diff-text.ts';
import { type FileRules, noFileRules, resolveForWriting } from '../files/file-rules.ts';
import { openFile } from '../files/open-file.ts';
import { makeFolder } from '../files/pinned-folder.ts';
import { replaceWorkspaceFile, withFileLock } from '../files/replace-file.ts';
import { resolveInWorkspace, type WorkspacePath } from '../files/workspace-path.ts';

const parameters = ownArguments({
  path: { type: 'string', description: 'File to write, relative to the workspace' },
  content: { type: 'string', description: 'The complete new content of the file' },
});

/** `write_file`: a whole file at once. After a crash the file shows whether it ran: same content = it ran. */
export function writeFileTool(rules: FileRules = noFileRules): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a whole text file of the workspace, creating it and its folders, or replacing all of its content. ' +
      'To change a part of a file, use edit_file.',
    parameters,
    sideEffect: 'probe',
    grantBy: ['path'],
    writes: ({ path }) => [path],
    async run({ path, content }, ctx) {
      const file = await resolveForWriting(ctx, path, rules);
      const bytes = Buffer.from(content);
      await makeFolder(dirname(file.real), file.shown);
      const existed = await withFileLock(file.real, async () => {
        await refuseChanged(file, ctx.previewed);
        return replaceWorkspaceFile(file, bytes, ctx.signal);
      });
      return `${existed ? 'overwrote' : 'created'} ${file.shown} (${sizeOf(bytes)})`;
    },
    preview: async ({ path, content }, ctx) =>
      previewWrite(await resolveInWorkspace(ctx.workspace, path, rules.database), content, ctx),
    async status({ path, content }, ctx) {
      const file = await resolveInWorkspace(ctx.workspace, path, rules.database);
      const bytes = Buffer.from(content);
      if (!(await holds(file, bytes))) return { notRan: true };
      return { ran: true, result: `wrote ${file.shown} (${sizeOf(bytes)})` };
    },
  });
}

/** Larger files are replaced without a diff, and without the check for changes since the preview. */
const maxPreviewBytes = 20 * 1024 * 1024;

async function previewWrite(
  file: WorkspacePath,
  content: string,
  { redact }: PreviewContext,
): Promise<CallPreview> {
  const size = sizeOf(Buffer.from(content));
  const current = await currentBytes(file);
  if (current === 'large') return { text: `replaces ${file.shown}, a large file, with ${size}` };
  const version = versionOf(current);
  if (current === null) {
    const lines = redact(content).replace(/\n$/, '').split('\n');
    const added = content === '' ? [] : lines.map((line) => `+${line}`);
    return { version, text: shortened([`new file ${file.shown}, ${size}`, ...added].join('\n')) };
  }
  if (current.equals(Buffer.from(content)))
    return { version, text: `${file.shown} holds exactly this already; nothing changes` };
  if (!isUtf8(current) || current.includes(0))
    return { version, text: `replaces ${file.shown}, ${sizeOf(current)} that are not text, with ${size}` };
  const diff = await unifiedDiff(file.shown, redact(current.toString()), redact(content));
  return {
    version,
    text: diff ?? `replaces ${file.shown}, ${sizeOf(current)}, with ${size}; too much differs for a diff`,
  };
}

/**
 * Refuses to overwrite changes that came after the preview: the person approved a change of the file as it was then.
 *
 * @throws ToolFailure `FILE_CHANGED`.
 */
async function refuseChanged(file: WorkspacePath, previewed: string | undefined): Promise<void> {
  if (previewed === undefined) return;
  const current = await currentBytes(file);
  if (current !== 'large' && versionOf(current) === previewed) return;
  throw new ToolFailure(
    'FILE_CHANGED',
    `${quoted(file.shown)} has changed since this call was approved, so it was not written; read it, and call write_file again`,
  );
}

/** The file's bytes; null when it does not exist. */
async function currentBytes(file: WorkspacePath): Promise<Buffer | 'large' | null> {
  try {
    await using handle = await openFile(file);
    return (await handle.stat()).size > maxPreviewBytes ? 'large' : await handle.readFile();
  } catch (error) {
    if (DetentError.is(error) && error.code === 'FILE_NOT_FOUND') return null;
    throw error;
  }
}

function versionOf(content: Buffer | null): string {
  return content === null ? 'none' : hex(sha256(content)).slice(0, 32);
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
