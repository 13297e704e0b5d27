import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** The declaration must be within the first bytes: https://html.spec.whatwg.org/#determining-the-character-encoding */
const prescanBytes = 1024;

const marks: readonly [label: string, bytes: readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
];

/**
 * Decodes text by the first of these that names an encoding: the byte order mark, the `charset` of the content type, the
 * declaration inside HTML or XML. Else UTF-8, or Windows-1252 for invalid UTF-8. Unknown labels are ignored, and invalid
 * bytes become U+FFFD.
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
  // A declaration that could be read as ASCII is not in UTF-16, even if it says so.
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function guess(bytes: Uint8Array): string {
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}
