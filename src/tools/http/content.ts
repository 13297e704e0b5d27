import { isUtf8 } from 'node:buffer';
import { decodeText } from './charset.ts';
import { htmlText } from './html-text.ts';

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
