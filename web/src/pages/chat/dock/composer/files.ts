import { maxPartBytes, maxParts, sizeText } from '#src/protocol/content.ts';
import { client } from '../../../../data/connection.ts';
import { asClientError } from '../../../../data/use-request.ts';
import { t } from './words.ts';

/** A file of the message in the making. */
export interface AttachedFile {
  /** Within this message. */
  key: number;
  name: string;
  bytes: number;
  /** Of an image, a URL of the page's own. */
  thumbnail: string | null;
  /** Of the upload; null while it is on its way. */
  id: string | null;
}

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Types that are text, although their names do not say so. */
const texts =
  /^(?:text\/.*|application\/(?:json|xml|yaml|x-yaml|toml|javascript|x-sh|x-ndjson|sql|.*\+(?:json|xml))|image\/svg\+xml)$/;
const pdf = 'application/pdf';

/** Why a file cannot go with the message, before its bytes are sent; null if it can. The gateway looks at the bytes. */
export function whyRefused(
  { size, type }: Pick<File, 'size' | 'type'>,
  others: readonly Pick<AttachedFile, 'bytes'>[],
): string | null {
  const isKnown = type === '' || images.includes(type) || type === pdf || texts.test(type);
  if (!isKnown) return t.noType(type);
  if (size === 0) return t.empty;
  if (others.length >= maxParts) return t.tooMany(maxParts);
  const together = others.reduce((sum, { bytes }) => sum + bytes, size);
  return together > maxPartBytes ? t.tooLarge(sizeText(size), sizeText(maxPartBytes)) : null;
}

export function limitsInWords(): string {
  return t.attachLimits(maxParts, sizeText(maxPartBytes));
}

export function isImage({ type }: Pick<File, 'type'>): boolean {
  return images.includes(type);
}

/** Sends a file to the gateway. @throws ClientError */
export async function upload(file: File): Promise<string> {
  const name = file.name || 'pasted';
  // The gateway tells the type from the bytes. As JSON it would take the file for the request itself.
  const headers = { 'content-type': 'application/octet-stream' };
  try {
    const path = `/api/v1/attachments?name=${encodeURIComponent(name.slice(0, 200))}`;
    const response = await client().http(path, { method: 'POST', headers, body: file });
    const { id } = (await response.json()) as { id: string };
    return id;
  } catch (error) {
    throw asClientError(error);
  }
}
