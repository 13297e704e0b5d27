import { eastAsianWidth } from 'get-east-asian-width';

// Combining marks and invisible characters. Terminals draw the soft hyphen.
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u;

/** Columns that one code point takes on a terminal: 0, 1 or 2. Control characters take 0. */
export function widthOf(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code < 0x300) return 1;
  if (zeroWidth.test(character)) return 0;
  return eastAsianWidth(code);
}

/** Columns of a text without control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The start of a text, cut to a number of columns; cut text ends in `…`. */
export function clipped(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width >= columns) break;
    kept += character;
  }
  return columns > 0 ? `${kept}…` : '';
}
