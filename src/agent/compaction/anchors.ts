import { untrustedMark } from '../../ports/memory-source.ts';
import { estimateTokens } from '../../ports/tokens.ts';
import type { Block, UserBlock } from '../messages/blocks.ts';

/**
 * The user's own words after a summary, in case the summary loses the thread. Their number and size have a maximum: the
 * newest stay, and the flush writes those that drop out to the day's memory file.
 */
export interface Anchors {
  kept: string[];
  left: string[];
}

const heading = 'What the user said, in order:';
const maxAnchors = 40;
const anchorChars = 500;

export function anchorsAfter(summary: string | null, old: readonly Block[], maxTokens: number): Anchors {
  const words = old.flatMap((block) => (block.kind === 'user' ? [anchorOf(block)] : []));
  const all = [...anchorsIn(summary), ...words];
  let from = Math.max(0, all.length - maxAnchors);
  let tokens = all.slice(from).reduce((sum, line) => sum + estimateTokens(line) + 2, 0);
  for (; from < all.length - 1 && tokens > maxTokens; from++) tokens -= estimateTokens(all[from] ?? '') + 2;
  return { kept: all.slice(from), left: all.slice(0, from) };
}

/** The words keep their mark when the message itself is gone. */
function anchorOf({ text, isOwn }: UserBlock): string {
  return `${isOwn ? '' : untrustedMark}${oneLine(text, anchorChars)}`;
}

function anchorsIn(summary: string | null): string[] {
  const at = summary?.lastIndexOf(`${heading}\n`) ?? -1;
  if (summary === null || at === -1) return [];
  const lines = summary.slice(at + heading.length + 1).split('\n');
  return lines.map((line) => line.replace(/^- /, '')).filter((line) => line !== '');
}

/** The text of a summary in prompts. */
export function withAnchors(words: string, { kept }: Anchors): string {
  return `${words}\n\n${heading}\n${kept.map((line) => `- ${line}`).join('\n')}`;
}

/** The model's text without the list of user messages, which models tend to repeat. */
export function withoutAnchors(text: string): string {
  const at = text.indexOf(heading);
  return (at === -1 ? text : text.slice(0, at)).trim();
}

export function oneLine(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
