import { type DayLog, type MemoryLine, untrustedMark } from '../../protocol/ports.ts';
import { linesOf } from '../markdown/blocks.ts';
import { changeFile, readText } from './change-file.ts';
import { memoryHome } from './home.ts';
import { whileWriting } from './write-lock.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * The Markdown diary of a workspace: `memory/YYYY-MM-DD.md`, in local days.
 *
 * Entries are atomic, also with crashes and concurrent writers. Each has its key in a comment, so that a repeat after a
 * crash finds it.
 */
export const dayLog: DayLog = {
  async append(place, at, key, lines) {
    const home = memoryHome(place);
    await whileWriting(home, async () => {
      // A repeat may come after midnight: look in yesterday's file, too.
      if (hasEntry(await readText(home, dayFile(at - dayMs)), key)) return;
      await changeFile(home, dayFile(at), (text) => withEntry(text, titleOf(at), key, lines));
    });
  },
};

/** Path of a day's file, relative to the home of the memory. */
export function dayFile(at: number): string {
  return `memory/${localDay(at)}.md`;
}

/** First line of a new file. */
export function titleOf(at: number): string {
  return `# ${localDay(at)}\n`;
}

/**
 * The file's text with one more entry at its end; null when it has the entry already.
 *
 * @param key null for an entry that a person writes: it gets no comment.
 */
export function withEntry(
  before: string | null,
  title: string,
  key: string | null,
  lines: readonly (string | MemoryLine)[],
): string | null {
  if (key !== null && hasEntry(before, key)) return null;
  const isNew = before === null || before === '';
  const begun = isNew ? title : before;
  const gap = begun.endsWith('\n') ? '' : '\n';
  const mark = key === null ? '' : `${markOf(key)}\n`;
  return `${begun}${gap}\n${mark}${lines.map((line) => `- ${inOneLine(line)}\n`).join('')}`;
}

function inOneLine(line: string | MemoryLine): string {
  const { text, isUntrusted } = typeof line === 'string' ? { text: line, isUntrusted: false } : line;
  // A single NUL would make the file binary, so that it would not be searched.
  const plain = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').toWellFormed();
  return isUntrusted ? `${untrustedMark}${plain}` : plain;
}

/** A key comment must be a whole line: within a line it is text, which an attacker may have written. */
function hasEntry(text: string | null, key: string): boolean {
  return text?.includes(markOf(key)) === true && linesOf(text).includes(markOf(key));
}

function markOf(key: string): string {
  return `<!-- ${key} -->`;
}

function localDay(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
