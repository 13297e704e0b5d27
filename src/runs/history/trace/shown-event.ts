import { isObject, type JsonObject, type JsonValue } from '../../../protocol/json.ts';

const maxCharacters = 400;
const maxItems = 40;
const maxDepth = 5;
/** Of an event as JSON. Beyond, only its plain values are left. */
const maxJson = 6_000;

type ShownEvent = JsonObject & { type: string };

/** An event of the log with long texts, long lists and deep values shortened. */
export function shownEvent(type: string, body: JsonObject): { event: ShownEvent; isCut?: true } {
  const cut: { isCut?: true } = {};
  const short = (value: JsonValue, depth: number): JsonValue => {
    if (typeof value === 'string') {
      if (value.length <= maxCharacters) return value;
      cut.isCut = true;
      return `${value.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}…`;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (depth === maxDepth) {
      cut.isCut = true;
      return '…';
    }
    if (Array.isArray(value)) {
      if (value.length > maxItems) cut.isCut = true;
      return value.slice(0, maxItems).map((one) => short(one, depth + 1));
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, short(one, depth + 1)]));
  };
  const event: ShownEvent = { ...(short(body, 0) as JsonObject), type };
  if (JSON.stringify(event).length <= maxJson) return { event, ...cut };
  const plain = Object.entries(event).filter(([, value]) => !isObject(value) && !Array.isArray(value));
  const kept: JsonObject = Object.fromEntries(plain.slice(0, maxItems));
  return { event: { ...kept, type }, isCut: true };
}
