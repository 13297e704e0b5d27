import { estimateTokens } from '../../protocol/ports.ts';

/** Prose has four or five characters in a token. */
const maxCharsPerToken = 16;

/** The estimated tokens of a text, with a minimum by length: runs of spaces or marks are hardly any tokens. */
export function sizeOf(text: string): number {
  return Math.max(estimateTokens(text), Math.ceil(text.length / maxCharsPerToken));
}
