import { isObject, type JsonObject, type JsonValue } from '../../../protocol/json.ts';
import { type ContextChanges, changeKey } from '../../../protocol/run-trace.ts';

/** What differs between two contexts. A value that only one of them has is undefined in the other. */
export function changesOf(before: JsonObject, after: JsonObject): ContextChanges {
  const changes = new Map<string, [JsonValue, JsonValue?]>();
  for (const key of keysOf(before, after)) {
    const [was, is] = [ownValue(before, key), ownValue(after, key)];
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

/** A key may have the name of a property that every object inherits. */
function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
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
