import type { DayLog, MemoryLine } from '../ports/memory-source.ts';
import { defaultTenant } from '../protocol/tenant.ts';
import { changeFile, readText } from './change-file.ts';
import { memoryHome } from './home.ts';
import { linesOf } from './markdown/blocks.ts';
import { untrustedMark } from './markdown/provenance.ts';
import { whileLocked } from './write-lock.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * The Markdown diary of a workspace: `memory/YYYY-MM-DD.md`, in local days.
 *
 * An entry is whole or absent, whatever dies meanwhile and whoever else writes, and carries its key in a comment, so that
 * a repeat after a crash finds it.
 */
export const dayLog: DayLog = {
  async append(workspace, at, key, lines, tenant = defaultTenant) {
    const home = memoryHome(workspace, tenant);
    await whileLocked(home, async () => {
      // A repeat may come after midnight.
      if (hasEntry(await readText(home, dayFile(at - dayMs)), key)) return;
      await changeFile(home, dayFile(at), (text) => withEntry(text, titleOf(at), key, lines));
    });
  },
};

/** Path of the file of a day, from the home of its memory. */
export function dayFile(at: number): string {
  return `memory/${localDay(at)}.md`;
}

/** First line of a file that an entry begins. */
export function titleOf(at: number): string {
  return `# ${localDay(at)}\n`;
}

/**
 * A file with one more entry at its end; null when it is there already.
 *
 * @param key null for what a person writes: it stands there like a line of theirs.
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
  // One NUL would make a file of it that is no text, and is not searched.
  const plain = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').toWellFormed();
  return isUntrusted ? `${untrustedMark}${plain}` : plain;
}

/** A mark has its line for itself: in the middle of one it is text, which may be somebody's trick. */
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
