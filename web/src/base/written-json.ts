import { parseJson } from '#src/protocol/json.ts';

/** The JSON that a person wrote; nothing is null; undefined for a text that is none. */
export function writtenJson(text: string): unknown {
  return text.trim() === '' ? null : parseJson(text);
}
