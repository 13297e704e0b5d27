/** A block of lines; lines count from 1, and `end` is the last one. */
export interface Block {
  kind: 'heading' | 'fence' | 'text';
  start: number;
  end: number;
  /** Of a heading: from 1 to 6. */
  level: number;
  /** Of a heading. */
  title: string;
}

const headingMarks = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const itemLine = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;

/**
 * The lines of a text. `\n` and `\r\n` end a line; in a file without any `\n`, `\r` does. A line end at the very end
 * begins no further line.
 */
export function linesOf(text: string): string[] {
  const lines = text.split(text.includes('\n') ? /\r?\n/ : '\r');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The blocks of Markdown lines in order: headings, fenced code, paragraphs, list items. Blank lines are in none. */
export function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  const close = () => {
    open = null;
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const at = i + 1;
    if (line.trim() === '') {
      close();
      continue;
    }
    const heading = headingMarks.exec(line);
    if (heading) {
      close();
      const [whole, marks = ''] = heading;
      const title = titleIn(line.slice(whole.length));
      blocks.push({ kind: 'heading', start: at, end: at, level: marks.length, title });
      continue;
    }
    const fence = fenceOf(line);
    if (fence) {
      close();
      const end = endOfFence(lines, i, fence);
      blocks.push({ kind: 'fence', start: at, end: end + 1, level: 0, title: '' });
      i = end;
      continue;
    }
    if (open === null || itemLine.test(line)) {
      open = { kind: 'text', start: at, end: at, level: 0, title: '' };
      blocks.push(open);
    } else (open as Block).end = at;
  }
  return blocks;
}

/** A heading's title without closing marks. Without a pattern, which would take quadratic time on many spaces. */
function titleIn(text: string): string {
  const title = text.trim();
  let end = title.length;
  while (title[end - 1] === '#') end--;
  const isClosed = end === 0 || /[ \t]/.test(title[end - 1] ?? '');
  return isClosed ? title.slice(0, end).trim() : title;
}

function fenceOf(line: string): string | null {
  const [, marks = '', info = ''] = fenceLine.exec(line) ?? [];
  // An opening fence has no backquotes after its marks; otherwise it is inline code.
  return marks === '' || (marks.startsWith('`') && info.includes('`')) ? null : marks;
}

/** Index of the line that closes the fence; of the last line if none does. */
function endOfFence(lines: readonly string[], from: number, marks: string): number {
  const closing = new RegExp(`^ {0,3}\\${marks[0]}{${marks.length},}[ \\t]*$`);
  for (let i = from + 1; i < lines.length; i++) if (closing.test(lines[i] ?? '')) return i;
  return lines.length - 1;
}
