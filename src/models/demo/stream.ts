import type { GenerateOptions } from '../../ports/chat-model.ts';

/** Bounds the time that an answer streams: a person sees what streaming is, and does not wait for it. */
const maxPieces = 12;
const minPieceLength = 12;

/** A text of an answer, in the pieces in which it streams. */
export interface Streamed {
  type: 'text' | 'reasoning';
  pieces: readonly string[];
}

/**
 * Hands a text to `onDelta` in pieces, `pieceDelayMs` apart, and returns what was handed out: all of it, or what came
 * before the abort.
 */
export async function streamText(
  { type, pieces }: Streamed,
  pieceDelayMs: number,
  { signal, onDelta }: Pick<GenerateOptions, 'signal' | 'onDelta'>,
): Promise<string> {
  let streamed = '';
  for (const piece of pieces) {
    if (streamed !== '' && pieceDelayMs > 0) await sleep(pieceDelayMs, signal);
    if (signal.aborted) return streamed;
    streamed += piece;
    onDelta({ type, text: piece });
  }
  return streamed;
}

/** The words of a text, each with the space after it; pairs of characters where the writing has no spaces. */
export function wordPieces(text: string): string[] {
  return text.match(/\p{Script=Han}{1,2}[^\p{Script=Han}\s]*\s*|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? [];
}

/** A few pieces, by code points, so that no piece ends in half a character. */
export function fewPieces(text: string): string[] {
  const characters = Array.from(text);
  const length = Math.max(minPieceLength, Math.ceil(characters.length / maxPieces));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += length)
    pieces.push(characters.slice(at, at + length).join(''));
  return pieces;
}

/** Resolves early, without throwing, when the signal aborts. Avoids `node:timers`: the demo also runs in `core`. */
function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, delayMs);
    signal.addEventListener('abort', wake);
  });
}
