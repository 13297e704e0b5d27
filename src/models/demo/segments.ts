import { lengthAt, outsideQuotes } from './quotes.ts';

/** A piece of a message between two separators, as offsets. */
export interface Segment {
  start: number;
  end: number;
}

const separators = [
  /[\n;；，、]|,(?!\d)/y,
  /(?<![^\s,;.!?，；。！？])(?:and|then|also|after that)(?![^\s,])/iy,
  /然后|接着|并且|同时|以及|还有|另外|再(?!见)|并|和/y,
];
/** These end a segment and stay with it: "with hello!". */
const terminal = /[.!?](?=\s|$)|[。！？]/y;

/**
 * Cuts a message wherever one request might end and the next begin, never inside quotation marks.
 *
 * It cuts too often ("salt and pepper"); {@link understand} puts together again what belongs together.
 */
export function segmentsOf(message: string): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  const cut = (end: number, next: number): void => {
    if (message.slice(start, end).trim() !== '') segments.push({ start, end });
    start = next;
  };
  for (const position of outsideQuotes(message)) {
    if (position < start) continue;
    const gap = separatorAt(message, position);
    if (gap > 0) cut(position, position + gap);
    else if (lengthAt(terminal, message, position) > 0) cut(position + 1, position + 1);
  }
  cut(message.length, message.length);
  return segments;
}

function separatorAt(message: string, position: number): number {
  for (const separator of separators) {
    const length = lengthAt(separator, message, position);
    if (length > 0) return length;
  }
  return 0;
}
