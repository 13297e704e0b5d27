import { setTimeout } from 'node:timers/promises';
import type { GenerateOptions } from '../../ports/chat-model.ts';

/**
 * Hands a text to `onDelta` in pieces, `pieceDelayMs` apart, and returns what was handed out: all of it, or what came
 * before the abort.
 */
export async function streamText(
  type: 'text' | 'reasoning',
  pieces: readonly string[],
  pieceDelayMs: number,
  { signal, onDelta }: Pick<GenerateOptions, 'signal' | 'onDelta'>,
): Promise<string> {
  let streamed = '';
  for (const piece of pieces) {
    if (streamed !== '' && pieceDelayMs > 0)
      await setTimeout(pieceDelayMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return streamed;
    streamed += piece;
    onDelta({ type, text: piece });
  }
  return streamed;
}

/**
 * A text in at most so many pieces: its words, each with the space after it, or pairs of characters where the writing has no spaces.
 * Several words are a piece if there are more.
 */
export function piecesOf(text: string, maxPieces: number): string[] {
  const words = text.match(/\p{Script=Han}{1,2}[^\p{Script=Han}\s]*\s*|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? [];
  const size = Math.max(1, Math.ceil(words.length / maxPieces));
  return Array.from({ length: Math.ceil(words.length / size) }, (_, n) =>
    words.slice(n * size, (n + 1) * size).join(''),
  );
}
