import { preview } from '../../call/messages.ts';
import { mentionParts } from '../../protocol/content.ts';
import { estimateTokens, summaryHeading } from '../../protocol/ports.ts';
import type { Block } from '../messages/blocks.ts';

/**
 * A part of the conversation as text, for a model that summarises it. If it is too long, long pieces lose their middle
 * first; then the oldest blocks are left out.
 */
export function transcriptWithin(
  summary: string | null,
  blocks: readonly Block[],
  maxTokens: number,
): string {
  for (const each of [4_000, 1_000, 200]) {
    const text = transcript(summary, blocks, each);
    if (estimateTokens(text) <= maxTokens) return text;
  }
  const shortest = 200;
  let from = 1;
  const rest = blocks.map((block) => estimateTokens(blockText(block, shortest)) + 2);
  let tokens = rest.slice(1).reduce((sum, each) => sum + each, estimateTokens(summary ?? '') + 16);
  for (; from < blocks.length && tokens > maxTokens; from++) tokens -= rest[from] ?? 0;
  return transcript(summary, blocks.slice(from), shortest);
}

function transcript(summary: string | null, blocks: readonly Block[], maxChars: number): string {
  const earlier = summary === null ? [] : [`${summaryHeading}\n${summary}`];
  return [...earlier, ...blocks.map((block) => blockText(block, maxChars))].join('\n\n');
}

/** The text of a block, with pieces cut to `maxChars`. */
export function blockText(block: Block, maxChars = Number.POSITIVE_INFINITY): string {
  if (block.kind === 'user')
    return [`User: ${preview(block.text, maxChars)}`, ...mentionParts(block.parts)].join('\n');
  const { body, results } = block;
  const calls = body.toolCalls.map((call, i) => {
    const { text = '', parts } = results[i] ?? {};
    const result = [preview(text, maxChars), ...mentionParts(parts)].join('\n');
    return `Assistant called ${call.name}(${preview(call.arguments, maxChars)}), result: ${result}`;
  });
  const said = body.text || body.refusal;
  return [...(said ? [`Assistant: ${preview(said, maxChars)}`] : []), ...calls].join('\n');
}
