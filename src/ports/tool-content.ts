import { mediaTypeOf } from '../protocol/media-type.ts';
import { toBase64 } from '../protocol/parts.ts';

/**
 * What a tool may return to show the model more than text: the result of a call in the Model Context Protocol. An item
 * may have a `name` besides.
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
  /** `data`: base64. PNG, JPEG, GIF and WebP reach the model; other formats are mentioned in words. */
  | { type: 'image'; data: string; mimeType: string; name?: string }
  | { type: 'audio'; data: string; mimeType: string }
  /** `blob`: base64. Images and PDF files reach the model. */
  | { type: 'resource'; name?: string; resource: ResourceContent }
  | { type: 'resource_link'; uri: string; name?: string; description?: string; mimeType?: string };

export interface ResourceContent {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

/**
 * Makes what a tool returns to show the model images or PDF files.
 *
 * @param files what they are is found out from their bytes
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
