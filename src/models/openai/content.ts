import { isObject } from '../../protocol/json.ts';

export type ContentKind = 'text' | 'reasoning' | 'refusal';

/**
 * Reads `content`: a string, or parts as Mistral sends them (`text`, `thinking`) and OpenAI stores them (`refusal`).
 * Parts of other kinds (references, audio) hold no text and are passed over.
 */
export function readContent(content: unknown, onPiece: (kind: ContentKind, piece: string) => void): void {
  if (typeof content === 'string') onPiece('text', content);
  else if (Array.isArray(content)) for (const part of content) readPart(part, onPiece);
}

function readPart(part: unknown, onPiece: (kind: ContentKind, piece: string) => void): void {
  if (typeof part === 'string') onPiece('text', part);
  if (!isObject(part)) return;
  if (typeof part.text === 'string') onPiece('text', part.text);
  if (typeof part.refusal === 'string') onPiece('refusal', part.refusal);
  const thoughts = Array.isArray(part.thinking) ? part.thinking : [part.thinking];
  for (const thought of thoughts) {
    const piece = isObject(thought) ? thought.text : thought;
    if (typeof piece === 'string') onPiece('reasoning', piece);
  }
}
