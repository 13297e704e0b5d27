import { isObject, type JsonObject, type JsonValue } from '../../../protocol/json.ts';
import { type ContextChanges, changeKey } from '../../../protocol/views.ts';
import { own } from '../../../text/wording.ts';

const maxCharacters = 400;
const maxItems = 40;
const maxDepth = 5;
/** Maximum characters of an event as JSON. A longer event keeps only its plain values. */
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

/** The differences between two contexts. A value that only one context has is undefined in the other. */
export function changesOf(before: JsonObject, after: JsonObject): ContextChanges {
  const changes = new Map<string, [JsonValue, JsonValue?]>();
  for (const key of keysOf(before, after)) {
    const [was, is] = [own(before, key), own(after, key)];
    if (isSame(was, is)) continue;
    if (isObject(was) && isObject(is) && haveSameKeys(was, is)) {
      for (const inner of Object.keys(is))
        if (!isSame(was[inner], is[inner]))
          changes.set(changeKey(key, inner), [was[inner] as JsonValue, is[inner] as JsonValue]);
    } else changes.set(changeKey(key), is === undefined ? [was ?? null] : [was ?? null, is]);
  }
  return Object.fromEntries(changes);
}

function keysOf(before: JsonObject, after: JsonObject): Iterable<string> {
  return new Set([...Object.keys(before), ...Object.keys(after)]);
}

function haveSameKeys(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key));
}

/** A machine that assigns one value keeps all others: most are the same objects. */
function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  return JSON.stringify(a) === JSON.stringify(b);
}
