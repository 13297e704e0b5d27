import {
  base64Bytes,
  type ContentPart,
  isBase64,
  type MediaType,
  maxPartBytes,
  maxParts,
  mediaTypeOfBase64,
  partName,
  type ResourceContent,
  sizeText,
  type ToolContent,
  type ToolContentItem,
} from '../../protocol/content.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { ToolOutcome } from '../../protocol/ports.ts';

const allowedFields: ReadonlySet<string> = new Set(['content', 'isError', 'structuredContent', '_meta']);

/** Whether a tool returned content of the form above. Any deviation counts as the tool's own data. */
export function isToolContent(value: unknown): value is ToolContent {
  if (!isObject(value) || !Array.isArray(value.content)) return false;
  if (!Object.keys(value).every((field) => allowedFields.has(field))) return false;
  if (value.isError !== undefined && typeof value.isError !== 'boolean') return false;
  if (value.content.length === 0) return 'isError' in value || 'structuredContent' in value;
  return value.content.every(isItem);
}

function isItem(item: unknown): boolean {
  if (!isObject(item)) return false;
  switch (item.type) {
    case 'text':
      return typeof item.text === 'string';
    case 'image':
    case 'audio':
      return typeof item.data === 'string' && typeof item.mimeType === 'string';
    case 'resource':
      return isObject(item.resource) && typeof item.resource.uri === 'string';
    case 'resource_link':
      return typeof item.uri === 'string';
    default:
      return false;
  }
}

/** Bytes of the JSON of data for screens. */
const maxData = 65_536;

/**
 * Content as an outcome: each text is a paragraph, images and documents are parts, all else is described in words. Structured
 * content is data for screens, unless it is all there is.
 */
export function contentOutcome({
  content,
  structuredContent: data,
  isError = false,
}: ToolContent): ToolOutcome {
  const reader = new Reader();
  for (const item of content) reader.take(item);
  if (content.length === 0 && data !== undefined) reader.texts.push(JSON.stringify(data) ?? '');
  const json = data === undefined || content.length === 0 ? null : jsonOf(data);
  if (json !== null && !json.fits) reader.texts.push(`[Data for the client was left out: ${json.why}.]`);
  const { texts, parts } = reader;
  return {
    isError,
    code: isError ? 'TOOL_FAILED' : null,
    text: texts.join('\n'),
    ...(parts.length > 0 && { parts }),
    ...(json?.fits && { data: json.data }),
  };
}

/** A call that acted does not fail because of what was to be shown of it. */
function jsonOf(data: unknown): { fits: true; data: JsonObject } | { fits: false; why: string } {
  try {
    const text = JSON.stringify(data);
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed)) return { fits: false, why: 'it is not a JSON object' };
    const bytes = Buffer.byteLength(text);
    if (bytes <= maxData) return { fits: true, data: parsed as JsonObject };
    return { fits: false, why: `${bytes} bytes, and at most ${maxData} fit` };
  } catch {
    return { fits: false, why: 'it is no JSON' };
  }
}

class Reader {
  readonly texts: string[] = [];
  readonly parts: ContentPart[] = [];
  #room = maxPartBytes;

  take(item: ToolContentItem): void {
    switch (item.type) {
      case 'text':
        this.texts.push(item.text);
        break;
      case 'image':
        this.#takeBytes(item.data, item.mimeType, item.name);
        break;
      case 'audio':
        this.texts.push(`[audio ${item.mimeType}, left out: no model is given sound]`);
        break;
      case 'resource':
        this.#takeResource(item.resource, item.name);
        break;
      case 'resource_link':
        this.texts.push(`[link ${item.uri}${item.description ? `: ${item.description}` : ''}]`);
    }
  }

  #takeResource({ uri, mimeType, text, blob }: ResourceContent, name = uri.split('/').at(-1)): void {
    if (typeof text === 'string') this.texts.push(text);
    else if (typeof blob === 'string') this.#takeBytes(blob, mimeType ?? 'a file', name);
    else this.texts.push(`[resource ${uri}]`);
  }

  #takeBytes(data: string, declared: string, given?: string): void {
    const name = partName(given);
    const type = isBase64(data) ? mediaTypeOfBase64(data) : null;
    const why = this.#whyNot(data, type);
    if (type === null || why !== null) this.texts.push(`[${name ?? declared}, left out: ${why}]`);
    else {
      this.#room -= base64Bytes(data);
      this.parts.push({ ...type, ...(name !== undefined && { name }), data });
    }
  }

  #whyNot(data: string, type: MediaType | null): string | null {
    if (!isBase64(data)) return 'its data is not base64';
    const bytes = base64Bytes(data);
    if (bytes === 0) return 'it is empty';
    if (bytes > this.#room || this.parts.length === maxParts)
      return `a result holds ${maxParts} files and ${sizeText(maxPartBytes)}`;
    if (type === null) return 'it is no PNG, JPEG, GIF, WebP or PDF';
    return null;
  }
}
