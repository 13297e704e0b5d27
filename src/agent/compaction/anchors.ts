import { estimateTokens, untrustedMark } from '../../protocol/ports.ts';
import { oneLine } from '../../text/wording.ts';
import type { Block, UserBlock } from '../messages/blocks.ts';
import { identifiersIn, maxIdentifiers, missingFrom } from './identifiers.ts';

/**
 * The user's own words after a summary, in case the summary loses the thread. Their number and size have a maximum: the
 * newest stay, and the flush writes those that drop out to the day's memory file.
 */
export interface Anchors {
  kept: string[];
  left: string[];
  /** Identifiers in what the user said, now or before an earlier summary, that are not in `kept`: the newest of them. */
  named: string[];
}

const heading = 'What the user said, in order:';
const namedHeading = 'Also named: ';
const maxAnchors = 40;
const anchorChars = 500;

export function anchorsAfter(summary: string | null, old: readonly Block[], maxTokens: number): Anchors {
  const words = old.flatMap((block) => (block.kind === 'user' ? [anchorOf(block)] : []));
  const all = [...anchorsIn(summary), ...words];
  let from = Math.max(0, all.length - maxAnchors);
  let tokens = all.slice(from).reduce((sum, line) => sum + estimateTokens(line) + 2, 0);
  for (; from < all.length - 1 && tokens > maxTokens; from++) tokens -= estimateTokens(all[from] ?? '') + 2;
  const [left, kept] = [all.slice(0, from), all.slice(from)];
  const whole = old.flatMap((block) => (block.kind === 'user' ? [block.text] : []));
  const said = [...whole.reverse(), ...left.toReversed(), ...namedIn(summary)];
  return { kept, left, named: missingFrom(kept.join('\n'), identifiersIn(said, maxIdentifiers)) };
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

/** The identifiers that stand after the words of a summary. */
function namedIn(summary: string | null): string[] {
  const words = summary?.slice(0, Math.max(0, summary.lastIndexOf(`${heading}\n`))).trimEnd() ?? '';
  const line = words.slice(words.lastIndexOf('\n') + 1);
  return line.startsWith(namedHeading) ? line.slice(namedHeading.length).split(', ') : [];
}

/** The text of a summary in prompts. */
export function withAnchors(words: string, { kept, named }: Omit<Anchors, 'left'>): string {
  const also = named.length === 0 ? '' : `\n\n${namedHeading}${named.join(', ')}`;
  return `${words}${also}\n\n${heading}\n${kept.map((line) => `- ${line}`).join('\n')}`;
}

/** The model's text without the list of user messages, which models tend to repeat. */
export function withoutAnchors(text: string): string {
  const at = text.indexOf(heading);
  return (at === -1 ? text : text.slice(0, at)).trim();
}
