import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  maxPartBytes,
  mediaTypeBytes,
  mediaTypeOf,
  sizeText,
  type ToolContent,
  toolContent,
} from '../../protocol/content.ts';
import { defineTool, ownArguments, type Tool, ToolFailure } from '../../protocol/tool.ts';
import { quoted } from '../../text/wording.ts';
import { type FileRules, noFileRules } from '../files/file-rules.ts';
import { type LineWindow, readWindow } from '../files/line-window.ts';
import { noteFile, noteLines } from '../files/note-reading.ts';
import { openFile } from '../files/open-file.ts';
import { resolveInWorkspace } from '../files/workspace-path.ts';

const defaultLines = 2000;
const maxLineChars = 2000;
/** Below the 50 KB above which the agent stores a tool's output separately and shows the model only a preview. */
const maxBytes = 40_000;

const parameters = ownArguments(
  { path: { type: 'string', description: 'File to read, relative to the workspace' } },
  {
    offset: {
      type: 'integer',
      minimum: 1,
      description: 'First line to return; 1 is the first line of the file',
    },
    limit: { type: 'integer', minimum: 1, description: `Number of lines to return; default ${defaultLines}` },
  },
);

/**
 * `read_file`: the exact lines of a text file, so that the model can pass any part to `edit_file` as `old_text`; or an
 * image or a PDF as content.
 */
export function readFileTool(rules: FileRules = noFileRules): Tool {
  return defineTool({
    name: 'read_file',
    description:
      `Reads a text file of the workspace and returns its exact text, without line numbers. ` +
      `Gives at most ${defaultLines} lines and ${maxBytes / 1000} KB a call; a last line in [brackets], not part of ` +
      `the file, says when there is more and how to continue. A PNG, JPEG, GIF or WebP image, or a PDF, is shown to you as it is.`,
    parameters,
    sideEffect: 'readonly',
    async run({ path, offset = 1, limit = defaultLines }, ctx) {
      const file = await resolveInWorkspace(ctx.workspace, path, rules.database);
      await using handle = await openFile(file);
      await noteFile(rules, ctx, file, handle);
      const picture = await pictureIn(handle, file.shown);
      if (picture) return picture;
      const options = { firstLine: offset, maxLines: limit, maxBytes, maxLineChars, signal: ctx.signal };
      const window = await readWindow(handle, options);
      if (window.binary)
        throw new ToolFailure(
          'BINARY_FILE',
          `${quoted(file.shown)} is not a text file (it contains NUL bytes)`,
        );
      if (window.totalLines === 0) return '[the file is empty]';
      if (window.totalLines !== null && offset > window.totalLines)
        throw new ToolFailure(
          'PAST_END',
          `offset ${offset} is past the end: ${quoted(file.shown)} has ${lineCount(window.totalLines)}`,
        );
      const text = windowText(window, offset);
      noteLines(text, ctx);
      return text;
    },
  });
}

/** Null for anything but an image or a PDF. */
async function pictureIn(handle: FileHandle, shown: string): Promise<ToolContent | null> {
  const { buffer } = await handle.read({ buffer: new Uint8Array(mediaTypeBytes), position: 0 });
  if (!mediaTypeOf(buffer)) return null;
  const { size } = await handle.stat();
  if (size > maxPartBytes)
    throw new ToolFailure(
      'FILE_TOO_LARGE',
      `${quoted(shown)} has ${sizeText(size)}; of an image or a PDF at most ${sizeText(maxPartBytes)} can be shown`,
    );
  return toolContent('', [{ data: await handle.readFile(), name: basename(shown) }]);
}

function windowText({ lines, totalLines }: LineWindow, offset: number): string {
  const text = lines.map((line) => line.text).join('');
  const last = offset + lines.length - 1;
  const cut = lines.flatMap((line, i) => (line.cut ? [offset + i] : []));
  const notes = [
    totalLines === null &&
      `lines ${offset}-${last}; the file continues: call read_file with offset ${last + 1}`,
    totalLines !== null && offset > 1 && `lines ${offset}-${last}, the end of the file`,
    cut.length > 0 && `only the first ${maxLineChars} characters of ${lineNumbers(cut)}`,
    lines.some((line) => line.crlf) && 'line ends are CRLF: write \\r\\n in old_text and new_text',
    lines.some((line) => !line.utf8) && 'not all of it is UTF-8: \uFFFD stands for bytes that are not',
  ].filter((note) => note !== false);
  // The byte order mark is no text; edit_file keeps it although the model does not see it.
  const plain = offset === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (notes.length === 0) return plain;
  return `${plain}${plain.endsWith('\n') ? '' : '\n'}[${notes.join('; ')}]`;
}

function lineNumbers(numbers: readonly number[]): string {
  const some = numbers.slice(0, 5).join(', ');
  return `${numbers.length === 1 ? 'line' : 'lines'} ${some}${numbers.length > 5 ? ', …' : ''}`;
}

function lineCount(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}
