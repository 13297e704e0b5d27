import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { breath } from '../../text/limiter.ts';
import { HtmlLayout } from './html-layout.ts';

/** The kind of a body by its content type. `unsure`: the bytes decide. */
type ContentKind = 'html' | 'text' | 'unsure' | 'other';

interface ContentType {
  /** `text/html`; empty when the server does not say. */
  mime: string;
  charset: string | undefined;
}

export interface ReadableContent {
  text: string;
  title: string;
  notes: string[];
}

const textual =
  /^(text\/|application\/(.*[+-])?(json|xml|yaml|toml|javascript|ecmascript|ndjson|jsonl|graphql|sql|x-sh|rtf)\b|application\/x-(yaml|ndjson|javascript|sh)\b|image\/svg\+xml)/;

/** Reads a `Content-Type` header; a malformed one counts as missing. */
export function contentType(header = ''): ContentType {
  const [mime = '', ...parameters] = header.split(';').map((part) => part.trim());
  const charset = parameters
    .map((parameter) => /^charset\s*=\s*"?([^"\s]{1,40})"?$/i.exec(parameter)?.[1])
    .find((value) => value !== undefined);
  return { mime: /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/.test(mime) ? mime.toLowerCase() : '', charset };
}

export function kindOf({ mime }: ContentType): ContentKind {
  if (mime === 'text/html' || mime === 'application/xhtml+xml') return 'html';
  if (textual.test(mime)) return 'text';
  return mime === '' || mime === 'application/octet-stream' || mime === 'binary/octet-stream'
    ? 'unsure'
    : 'other';
}

/** The text of a body; null when it is not text. */
export async function readable(
  bytes: Buffer,
  type: ContentType,
  url: URL,
  signal: AbortSignal,
): Promise<ReadableContent | null> {
  const kind = kindOf(type);
  if (kind === 'unsure' && !(isUtf8(bytes) && !bytes.includes(0))) return null;
  const text = decodeText(bytes, type.charset);
  // A NUL means that the body is not text, even if its type says so.
  if (text.slice(0, 100_000).includes('\0')) return null;
  if (kind !== 'html' && !(kind === 'unsure' && /^\s*(<!doctype html|<html[\s>])/i.test(text.slice(0, 1000))))
    return { text, title: '', notes: [] };
  const page = await htmlText(text, url, signal);
  return {
    text: page.text,
    title: page.title,
    notes: page.isCut ? ['the rest of the page nests too deeply to be read'] : [],
  };
}

interface PageText {
  title: string;
  text: string;
  /** Whether the parser stopped before the end because the page nests too deeply. */
  isCut: boolean;
}

/** Real pages stay below 100. The cost of each tag grows with the depth, so a page of nested tags only would hang. */
const maxDepth = 1000;
const pieceChars = 64 * 1024;

/**
 * The text of an HTML page in the manner of Markdown: headings, lists, links, tables row by row. Scripts, styles, the
 * machinery of forms and what the page hides are left out.
 *
 * The parser takes the page in pieces, and yields to the event loop between them.
 *
 * @param base the base of relative links.
 */
export async function htmlText(html: string, base: URL, signal: AbortSignal): Promise<PageText> {
  const { Parser } = await import('htmlparser2');
  const layout = new HtmlLayout(base);
  let depth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      // Throw out of the parser in the middle of a piece, because one piece can hold thousands of tags.
      if (depth > maxDepth) throw new TooDeep();
      layout.open(name, attributes);
    },
    ontext: (text) => layout.text(text),
    onclosetag(name) {
      depth -= 1;
      layout.close(name);
    },
  });
  try {
    for (let at = 0; at < html.length; at += pieceChars) {
      signal.throwIfAborted();
      parser.write(html.slice(at, at + pieceChars));
      await breath();
    }
    parser.end();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return { ...layout.end(), isCut: depth > maxDepth };
}

class TooDeep extends Error {}

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
