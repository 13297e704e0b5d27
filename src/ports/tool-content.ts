import { toBase64 } from '../protocol/content-parts.ts';
import { mediaTypeOf } from '../protocol/media-type.ts';

/**
 * A tool result with more than text: the result of a call in the Model Context Protocol. An item may also have a `name`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool-result
 */
export interface ToolContent {
  content: readonly ToolContentItem[];
  /** The call failed; the text says why. */
  isError?: boolean;
}

export type ToolContentItem =
  | { type: 'text'; text: string }
  /** `data`: base64. The model gets PNG, JPEG, GIF and WebP; other formats become a note. */
  | { type: 'image'; data: string; mimeType: string; name?: string }
  | { type: 'audio'; data: string; mimeType: string }
  /** `blob`: base64. The model gets images and PDF files. */
  | { type: 'resource'; name?: string; resource: ResourceContent }
  | { type: 'resource_link'; uri: string; name?: string; description?: string; mimeType?: string };

export interface ResourceContent {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

/**
 * Makes a tool result with images or PDF files.
 *
 * @param files their type is detected from their bytes
 * @example
 * ```ts
 * run: async () => toolContent('The page as it looks now.', [{ data: await screenshot(), name: 'page.png' }])
 * ```
 */
export function toolContent(
  text: string,
  files: readonly { data: Uint8Array; name?: string }[] = [],
): ToolContent {
  return {
    content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files.map(fileItem)],
  };
}

function fileItem({ data, name }: { data: Uint8Array; name?: string }): ToolContentItem {
  const named = name === undefined ? {} : { name };
  const blob = toBase64(data);
  const { type, mimeType } = mediaTypeOf(data) ?? { type: 'file', mimeType: 'application/octet-stream' };
  if (type === 'image') return { type, data: blob, mimeType, ...named };
  return { type: 'resource', ...named, resource: { uri: `attachment:${name ?? ''}`, mimeType, blob } };
}
