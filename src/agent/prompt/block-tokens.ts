import { estimateTokens, partTokens } from '../../protocol/ports.ts';
import type { Block } from '../messages/blocks.ts';
import { partsOf } from './parts-to-send.ts';

/** Tokens that every message costs besides its text. */
const perMessage = 4;

/** Estimated tokens of a block in a prompt; cached. */
export function blockTokens(block: Block | undefined): number {
  return block ? block.derive(weigh) : 0;
}

function weigh(block: Block): number {
  const seen = partsOf(block).reduce((sum, part) => sum + partTokens(part), 0);
  if (block.kind === 'user') return estimateTokens(block.text) + perMessage + seen;
  const { text, refusal, toolCalls } = block.body;
  const calls = toolCalls.map((call) => `${call.name} ${call.arguments}`);
  const results = block.results.map((result) => result.text);
  return [text || refusal, ...calls, ...results].reduce(
    (sum, piece) => sum + estimateTokens(piece) + perMessage,
    seen,
  );
}
