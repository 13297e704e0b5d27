import type { JsonObject } from '../../../protocol/json.ts';
import { type ContentPart, dataUrl, withNames } from '../../../protocol/parts.ts';
import { fileName } from '../chat-parts.ts';
import { clean } from '../conversation.ts';

/**
 * What a message of the user, or a result, says: its text alone, or a list of text, images and files.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function inputContent({
  text,
  parts = [],
}: {
  text: string;
  parts?: readonly ContentPart[];
}): string | JsonObject[] {
  if (parts.length === 0) return clean(text);
  const words = withNames(text, parts);
  return [...(words === '' ? [] : [{ type: 'input_text', text: clean(words) }]), ...parts.map(wirePart)];
}

function wirePart(part: ContentPart): JsonObject {
  const url = dataUrl(part);
  if (part.type === 'image') return { type: 'input_image', detail: 'auto', image_url: url };
  return { type: 'input_file', filename: fileName(part), file_data: url };
}
