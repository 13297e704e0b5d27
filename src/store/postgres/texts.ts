/** Begins what stands for a character that PostgreSQL does not store as text: U+E000 of the private use area. */
const mark = '\uE000';

const refused = /[\0\uE000]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const written = /\uE000([0-9a-f]{4})/g;

/**
 * A text as PostgreSQL stores it: NUL, which it refuses, and surrogates without the other half, which are no UTF-8, are written by
 * their number behind a mark. Others stay as they are.
 */
export function storable(text: string): string {
  return text.replace(refused, (c) => mark + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

/** The text that {@link storable} was given. */
export function restored(text: string): string {
  if (!text.includes(mark)) return text;
  return text.replace(written, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
