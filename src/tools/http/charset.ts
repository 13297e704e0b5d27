import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** How far the declaration of a page may stand from its start: https://html.spec.whatwg.org/#determining-the-character-encoding */
const prescanBytes = 1024;

const marks: readonly [label: string, bytes: readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
];

/**
 * Text from bytes, decoded by the first of these that says how: the byte order mark, the `charset` of the content type,
 * the declaration inside HTML or XML. Else UTF-8, or Windows-1252 when it is no UTF-8. A label that nobody knows counts
 * as none, and bytes that do not fit become U+FFFD.
 *
 * @param charset as in the header
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const mark = marks.find(([, start]) => start.every((byte, i) => bytes[i] === byte));
  const decoder =
    decoderOf(mark?.[0]) ?? decoderOf(charset) ?? decoderOf(declared(bytes)) ?? new TextDecoder(guess(bytes));
  return decoder.decode(bytes);
}

function decoderOf(label: string | undefined): TextDecoder | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

function declared(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, prescanBytes)).toString('latin1');
  const label =
    /^\s{0,20}<\?xml[^>]{0,200}?\sencoding\s{0,5}=\s{0,5}["']([\w.:-]{1,40})/i.exec(head)?.[1] ??
    /<meta[^>]{0,300}?\scharset\s{0,5}=\s{0,5}["']?([\w.:-]{1,40})/i.exec(head)?.[1] ??
    /<meta[^>]{0,300}?content\s{0,5}=\s{0,5}["'][^"'>]{0,200}?charset=([\w.:-]{1,40})/i.exec(head)?.[1];
  // Could it be read as ASCII, it is not UTF-16, whatever it says.
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function guess(bytes: Uint8Array): string {
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}
