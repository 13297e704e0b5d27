import { estimateTokens } from '../../ports/tokens.ts';

/** Prose has four or five characters in a token. */
const maxCharsPerToken = 16;

/** About how many tokens a text is; of spaces and lines of marks, which are hardly any, not less than their length says. */
export function sizeOf(text: string): number {
  return Math.max(estimateTokens(text), Math.ceil(text.length / maxCharsPerToken));
}
