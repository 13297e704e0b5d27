import { ToolFailure } from '../../protocol/tool.ts';
import { quoted } from '../../text/wording.ts';

export interface ExactEdit {
  oldText: string;
  newText: string;
  replaceAll: boolean;
}

/** Counting stops after this many occurrences: a single letter occurs millions of times in a large file. */
const maxCounted = 1000;

/**
 * Replaces text that occurs exactly in `content`. Everything else stays, character by character.
 *
 * @returns the new content, the number of replacements, and the line (from 1) of the first.
 * @throws ToolFailure `NO_CHANGE` (both texts are the same), `TEXT_NOT_FOUND`, `TEXT_NOT_UNIQUE`.
 */
export function applyEdit(
  content: string,
  edit: ExactEdit,
): { content: string; count: number; line: number } {
  const { oldText, newText, replaceAll } = edit;
  if (oldText === newText)
    throw new ToolFailure('NO_CHANGE', 'old_text and new_text are the same; there is nothing to change');
  const first = content.indexOf(oldText);
  if (first === -1)
    throw new ToolFailure('TEXT_NOT_FOUND', `old_text does not occur in the file${hint(content, oldText)}`);
  const line = lineAt(content, first);
  if (replaceAll) {
    // split and join, because replaceAll would read `$&` in new_text as a pattern.
    const parts = content.split(oldText);
    return { content: parts.join(newText), count: parts.length - 1, line };
  }
  const lines = matchingLines(content, oldText);
  if (lines.length > 1)
    throw new ToolFailure(
      'TEXT_NOT_UNIQUE',
      `old_text occurs ${countOf(lines)} (lines ${lines.slice(0, 10).join(', ')}${lines.length > 10 ? ', …' : ''}); ` +
        'add surrounding lines to make it unique, or set replace_all',
    );
  const after = content.slice(first + oldText.length);
  return { content: content.slice(0, first) + newText + after, count: 1, line };
}

/**
 * Whether an edit ran, judged by the current content of the file.
 *
 * If `old_text` is still there, the edit did not run, unless `new_text` overlaps it: then the edit itself may have left
 * it there (`a` to `aa`), and running it again would change the file twice.
 */
export function editFate(content: string, edit: ExactEdit): 'ran' | 'notRan' | 'unknown' {
  const { oldText, newText } = edit;
  const at = content.indexOf(oldText);
  if (at === -1) return content.includes(newText) ? 'ran' : 'unknown';
  const touching = content.indexOf(newText, Math.max(0, at - newText.length + 1));
  return touching !== -1 && touching < at + oldText.length ? 'unknown' : 'notRan';
}

/** Lines of the occurrences. Overlapping ones count: in `aaa` it is ambiguous which `aa` is meant. */
function matchingLines(content: string, text: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (
    let at = content.indexOf(text);
    at !== -1 && lines.length < maxCounted;
    at = content.indexOf(text, at + 1)
  ) {
    line += newlines(content, from, at);
    from = at;
    lines.push(line);
  }
  return lines;
}

function countOf(lines: readonly number[]): string {
  return lines.length < maxCounted ? `${lines.length} times` : `at least ${maxCounted} times`;
}

function lineAt(content: string, position: number): number {
  return 1 + newlines(content, 0, position);
}

function newlines(content: string, from: number, to: number): number {
  let count = 0;
  for (let at = content.indexOf('\n', from); at !== -1 && at < to; at = content.indexOf('\n', at + 1))
    count += 1;
  return count;
}

/** Why the text may not have matched: line ends, or a line that differs in white space only. */
function hint(content: string, oldText: string): string {
  const crlf = content.includes('\r\n');
  if (crlf && content.includes(oldText.replaceAll(/\r?\n/g, '\r\n')))
    return ': the file has CRLF line ends; write \\r\\n in old_text and new_text';
  if (!crlf && content.includes(oldText.replaceAll('\r\n', '\n')))
    return ': the file has LF line ends; write \\n instead of \\r\\n';
  const wanted = oldText
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  const lines = wanted === undefined ? [] : content.split('\n');
  const near = lines.findIndex((line) => line.trim() === wanted);
  if (near === -1) return '; read_file shows what it holds now';
  return `; line ${near + 1} is the nearest, compare white space and what follows: ${quoted(lines[near] ?? '')}`;
}
