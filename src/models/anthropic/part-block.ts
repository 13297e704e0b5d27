import type { JsonObject } from '../../protocol/json.ts';
import type { ContentPart } from '../../protocol/parts.ts';

/**
 * Images and documents as blocks.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
export function partBlocks(parts: readonly ContentPart[] = []): JsonObject[] {
  return parts.map(({ type, mimeType, name, data }) => {
    const source = { type: 'base64', media_type: mimeType, data };
    if (type === 'image') return { type: 'image', source };
    return { type: 'document', source, ...(name !== undefined && { title: name }) };
  });
}
