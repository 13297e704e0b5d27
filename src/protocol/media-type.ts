import type { PartType } from './content-parts.ts';

/** What bytes are, by what they begin with. */
export interface MediaType {
  type: PartType;
  mimeType: string;
}

const signatures: readonly (readonly [mimeType: string, type: PartType, place: number, bytes: string])[] = [
  ['image/png', 'image', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 'image', 0, '\xff\xd8\xff'],
  ['image/gif', 'image', 0, 'GIF87a'],
  ['image/gif', 'image', 0, 'GIF89a'],
  ['image/webp', 'image', 8, 'WEBP'],
  ['application/pdf', 'file', 0, '%PDF-'],
];

/** As many bytes as {@link mediaTypeOf} looks at. */
export const mediaTypeBytes = 12;

/**
 * Tells the images and documents that every wire can carry by their content; null for everything else. A name or a
 * declared type says nothing: a provider looks at the bytes, and refuses the whole request when they are something
 * else.
 *
 * @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern
 */
export function mediaTypeOf(bytes: Uint8Array): MediaType | null {
  for (const [mimeType, type, place, signature] of signatures)
    if (hasAt(bytes, place, signature) && (place === 0 || hasAt(bytes, 0, 'RIFF'))) return { type, mimeType };
  return null;
}

/** The same for base64. */
export function mediaTypeOfBase64(data: string): MediaType | null {
  const head = atob(data.slice(0, mediaTypeBytes * 2));
  return mediaTypeOf(Uint8Array.from(head, (character) => character.charCodeAt(0)));
}

function hasAt(bytes: Uint8Array, place: number, signature: string): boolean {
  if (bytes.length < place + signature.length) return false;
  for (let i = 0; i < signature.length; i++) if (bytes[place + i] !== signature.charCodeAt(i)) return false;
  return true;
}

/** The text that bytes are; null when they are not UTF-8, or hold characters that no text has. */
export function textOfBytes(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
