import { preview } from '../../call/messages.ts';
import { type PromptMessage, TokenWeights, type ToolSpec } from '../../protocol/ports.ts';
import type { Block } from '../messages/blocks.ts';
import { blockTokens } from './block-tokens.ts';
import { withoutParts } from './parts-to-send.ts';
import { type Frame, toPrompt } from './projection.ts';

/** Characters that a tool result keeps when even the newest part of a conversation does not fit. */
const shortResult = 1_000;

/**
 * The fallback after a failed compaction: makes a prompt fit by leaving out its oldest blocks, and finally by shortening
 * tool results. Null when even the last block is too big.
 */
export function cutToFit(
  blocks: readonly Block[],
  frame: Frame,
  tools: readonly ToolSpec[],
  maxTokens: number,
  weights: TokenWeights = new TokenWeights(),
): PromptMessage[] | null {
  const around = weights.ofPrompt(toPrompt([], frame), tools);
  for (const kept of [blocks, blocks.map(shorten)])
    for (let from = firstThatFits(kept, maxTokens - around); from < kept.length; from++) {
      const prompt = toPrompt(withLastWord(kept, from), frame);
      if (weights.ofPrompt(prompt, tools) <= maxTokens) return prompt;
    }
  return null;
}

/** An approximate place to cut, so that the search does not project every prompt of a long conversation. */
function firstThatFits(blocks: readonly Block[], maxTokens: number): number {
  let tokens = 0;
  let from = blocks.length;
  while (from > 0) {
    tokens += blockTokens(blocks[from - 1]);
    if (tokens > maxTokens) break;
    from--;
  }
  return Math.max(0, Math.min(from, blocks.length - 1));
}

/** Keeps the user's last message before the cut, because a prompt without one asks for nothing. */
function withLastWord(blocks: readonly Block[], from: number): Block[] {
  const kept = blocks.slice(from);
  if (kept.some((block) => block.kind === 'user')) return kept;
  const word = blocks.slice(0, from).findLast((block) => block.kind === 'user');
  return word ? [word, ...kept] : kept;
}

function shorten(block: Block): Block {
  if (block.kind === 'user') return block;
  return block.withResults(
    block.results.map((result) => withoutParts({ ...result, text: preview(result.text, shortResult) })),
  );
}
