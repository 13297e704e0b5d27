const closers: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '‘': '’',
  '「': '」',
  '『': '』',
  '《': '》',
};

const letter = /[\p{Letter}\p{Number}]/u;

/** The inside of a text that is one quotation from end to end, else null. */
export function unquoted(text: string): string | null {
  const wholly = text.length >= 2 && quotationEnd(text, 0) === text.length;
  return wholly ? text.slice(1, -1) : null;
}

/** Every index of a text that is in no quotation, in one pass. */
export function* outsideQuotes(text: string): Generator<number, void> {
  const unclosed = new Set<string>();
  for (let position = 0; position < text.length; position++) {
    const mark = text.charAt(position);
    const end = unclosed.has(mark) ? -1 : quotationEnd(text, position);
    if (end !== -1) {
      position = end - 1;
      continue;
    }
    // Remember marks without a closer: otherwise each of many opening marks would search the rest of the text.
    if (closers[mark] && !isInsideWord(text, position)) unclosed.add(mark);
    yield position;
  }
}

/** A text on both sides of a separator. */
export interface Cut {
  left: string;
  right: string;
}

/**
 * Cuts a text at the first or the last place outside quotation marks where a sticky pattern matches; null when it
 * matches nowhere. One pass, where `(.+?) with (.+?) in (.+)` would try every pair of places.
 */
export function cutAt(which: 'first' | 'last', text: string, separator: RegExp): Cut | null {
  let cut: { from: number; to: number } | null = null;
  for (const from of outsideQuotes(text)) {
    // 存到 inside 保存到 is no separator of its own.
    if (cut && (which === 'first' || from < cut.to)) continue;
    const length = lengthAt(separator, text, from);
    if (length > 0) cut = { from, to: from + length };
  }
  return cut && { left: text.slice(0, cut.from), right: text.slice(cut.to) };
}

/** The length of a sticky pattern's match at a position; 0 for none. */
export function lengthAt(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** The index after the mark that closes the quotation opened at `start`, or -1 when none opens there. */
function quotationEnd(text: string, start: number): number {
  const closer = closers[text.charAt(start)];
  if (!closer || isInsideWord(text, start)) return -1;
  let end = text.indexOf(closer, start + 1);
  while (end !== -1 && isInsideWord(text, end)) end = text.indexOf(closer, end + 1);
  return end === -1 ? -1 : end + 1;
}

/** An apostrophe inside a word ("what's") neither opens nor closes. */
function isInsideWord(text: string, index: number): boolean {
  const mark = text.charAt(index);
  if (mark !== "'" && mark !== '’') return false;
  return letter.test(text.charAt(index - 1)) && letter.test(text.charAt(index + 1));
}
