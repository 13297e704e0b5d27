import type { JsonValue } from '../../protocol/json.ts';
import { keptOf } from './service-failure.ts';

/** Thrown when a chart does something that a stored run could not repeat. The engine fails the run with its message. */
export class ChartFault extends Error {}

/** A value that is plain JSON, and too long for a row. */
export class TooLarge extends ChartFault {}

/** Characters of a context, or of one input or output, as JSON. */
const maxChars = 262_144;

/**
 * The value as it comes back from a row: without fields that are undefined. The same object when nothing differs.
 *
 * @param where names the value in the error, such as `context`.
 * @throws ChartFault for what JSON loses, such as a Date, and for what is too large for a row.
 */
export function plainJson(value: unknown, where: string): JsonValue {
  const walk = new Walk();
  const plain = walk.of(value, where);
  if (walk.chars > maxChars)
    throw new TooLarge(
      `${where} has more than ${maxChars} characters as JSON; keep the large part elsewhere, and its id here`,
    );
  return plain === undefined ? null : plain;
}

class Walk {
  chars = 0;
  readonly #above = new Set<object>();

  of(value: unknown, where: string): JsonValue | undefined {
    switch (typeof value) {
      case 'undefined':
        return undefined;
      case 'string':
        this.chars += value.length + 2;
        return value;
      case 'boolean':
        this.chars += 5;
        return value;
      case 'number':
        this.chars += 8;
        if (Number.isFinite(value)) return Object.is(value, -0) ? 0 : value;
        throw new ChartFault(`${where} is ${value}; JSON has no such number`);
      case 'object':
        if (value === null) return null;
        return this.#within(value, () =>
          Array.isArray(value) ? this.#list(value, where) : this.#object(value, where),
        );
      default:
        throw notPlain(where, `a ${typeof value}`);
    }
  }

  #within<T>(value: object, walk: () => T): T {
    const { size } = this.#above;
    if (this.#above.add(value).size === size)
      throw new ChartFault('a value contains itself; JSON cannot hold it');
    const walked = walk();
    this.#above.delete(value);
    return walked;
  }

  #list(value: readonly unknown[], where: string): JsonValue {
    const items = value.map((item, i) => this.of(item, `${where}[${i}]`) ?? null);
    return items.every((item, i) => item === value[i]) ? (value as JsonValue[]) : items;
  }

  #object(value: object, where: string): JsonValue {
    const failure = keptOf(value);
    if (failure) return this.#object(failure, where);
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      throw notPlain(where, `a ${value.constructor?.name || 'class instance'}`);
    const plain: Record<string, JsonValue> = {};
    let isSame = prototype !== null;
    for (const [key, field] of Object.entries(value)) {
      this.chars += key.length + 4;
      const kept = this.of(field, `${where}.${key}`);
      if (kept !== undefined)
        Object.defineProperty(plain, key, {
          value: kept,
          enumerable: true,
          writable: true,
          configurable: true,
        });
      isSame &&= kept === field && kept !== undefined;
    }
    return isSame ? (value as JsonValue) : plain;
  }
}

function notPlain(where: string, what: string): ChartFault {
  return new ChartFault(
    `${where} is ${what}; only plain JSON survives a restart (a Date as its ISO string, a Map as an object)`,
  );
}
