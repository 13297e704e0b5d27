import { isObject, type JsonValue } from '../../protocol/json.ts';

/** How a slot's time is written in prompts, inputs and results: without milliseconds, unless it has some. */
export function slotText(slot: number): string {
  return new Date(slot).toISOString().replace('.000', '');
}

/** The input of a workflow, with the time of the slot in its texts. */
export function withSlot(input: JsonValue, slot: number): JsonValue {
  if (typeof input === 'string') return input.replaceAll('{{slot}}', slotText(slot));
  if (Array.isArray(input)) return input.map((one) => withSlot(one, slot));
  if (!isObject(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, withSlot(value as JsonValue, slot)]),
  );
}

/** A path that may name `{{slot}}`, of one slot: `2026-01-31T09-00-00Z`, because file names of Windows have no colons. */
export function fileOfSlot(path: string, slot: number): string {
  return path.replaceAll('{{slot}}', () => slotText(slot).replaceAll(':', '-'));
}
