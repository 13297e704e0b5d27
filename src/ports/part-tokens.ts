import { base64Bytes, type ContentPart, type StoredPart } from '../protocol/content-parts.ts';

/**
 * What an image costs at most when it is scaled to what providers read: width times height through 750, up to about
 * 1,600, at Anthropic; 765 to 1,445 in high detail at OpenAI; 1,024 at Moonshot.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.openai.com/docs/guides/images-vision
 */
const imageTokens = 1_600;

/**
 * A page of a PDF is text and an image, 1,500 to 3,000 tokens, and pages cannot be counted without reading it; a page of
 * text is about 50 kB.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
const pageTokens = 2_500;
const pageBytes = 50_000;
/** Maximum estimate: a large file is more often pictures than many pages, and the provider refuses what is too long. */
const maxPages = 20;

/** About how many tokens an image or a document costs. */
export function partTokens(part: StoredPart | ContentPart): number {
  if (part.type === 'image') return imageTokens;
  const bytes = 'bytes' in part ? part.bytes : base64Bytes(part.data);
  return pageTokens * Math.min(maxPages, Math.max(1, Math.ceil(bytes / pageBytes)));
}
