import type { JsonObject } from '../../protocol/json.ts';

/**
 * A text as a list of one block, or of none. The wire refuses blank texts, and text that was cut inside a surrogate
 * pair, as tool output may be.
 */
export function textBlocks(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text: text.toWellFormed() }];
}
