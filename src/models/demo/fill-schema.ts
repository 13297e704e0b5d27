import { isObject, type JsonValue } from '../../protocol/json.ts';

/**
 * A small value for a schema, with the demo's words in the first free text: it understands no schema, and says so there. Required
 * properties, constants, defaults and first choices are looked at, references and limits are not, so the value may not fit.
 */
export function fillSchema(schema: unknown, words: string): JsonValue {
  let rest = words;
  const valueFor = (part: unknown): JsonValue => {
    if (!isObject(part)) return null;
    const { const: constant, enum: choices, default: usual, anyOf, type, properties, required } = part;
    const given = constant ?? (Array.isArray(choices) ? choices[0] : usual);
    if (given !== undefined) return given as JsonValue;
    if (Array.isArray(anyOf)) return valueFor(anyOf[0]);
    if (type === 'string') {
      const text = rest;
      rest = '';
      return text;
    }
    if (type === 'integer' || type === 'number') return typeof part.minimum === 'number' ? part.minimum : 0;
    if (type === 'boolean') return false;
    if (type === 'array') return [];
    const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
    const parts = isObject(properties) ? properties : {};
    return type === 'null' ? null : Object.fromEntries(names.map((name) => [name, valueFor(parts[name])]));
  };
  return valueFor(schema);
}
