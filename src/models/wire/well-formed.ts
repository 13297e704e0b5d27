import { isObject, type JsonValue } from '../../protocol/json.ts';

/**
 * The same value with every lone surrogate replaced. JSON can carry them as escapes, but servers refuse the whole body.
 */
export function wellFormed<T extends JsonValue>(value: T): T;
export function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((one) => wellFormed(one));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name.toWellFormed(), wellFormed(one as JsonValue)]),
  );
}

/** Whether no text in a value holds half of a surrogate pair. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([name, one]) => name.isWellFormed() && isWellFormed(one));
}
