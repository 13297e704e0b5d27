import { isObject, type JsonValue } from '../../protocol/json.ts';

/** Levels of a schema that are filled; a recursive schema has no end. */
const maxLevels = 10;

/**
 * The smallest value for a schema, with the demo's words in the first free text: it understands no schema, and says so
 * there. Numbers are the smallest that are allowed, lists empty, other texts empty; optional properties are left out.
 * Patterns and formats are not looked at, so the value may not fit.
 */
export function fillSchema(schema: unknown, words: string): JsonValue {
  const said = { words };
  return valueFor(schema, { root: schema, said }, 0);
}

interface Filling {
  root: unknown;
  /** Emptied once the words are said. */
  said: { words: string };
}

function valueFor(schema: unknown, filling: Filling, level: number): JsonValue {
  if (!isObject(schema) || level > maxLevels) return null;
  const { const: constant, enum: choices, default: usual, anyOf, oneOf, allOf, $ref } = schema;
  if (constant !== undefined) return constant as JsonValue;
  if (Array.isArray(choices)) return (choices[0] ?? null) as JsonValue;
  if (usual !== undefined) return usual as JsonValue;
  const inner =
    [anyOf, oneOf, allOf].find(Array.isArray)?.[0] ??
    (typeof $ref === 'string' ? at($ref, filling.root) : undefined);
  if (inner !== undefined) return valueFor(inner, filling, level + 1);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return text(schema, filling);
    case 'integer':
    case 'number':
      return smallest(schema);
    case 'boolean':
      return false;
    case 'array':
      return list(schema, filling, level);
    case 'null':
      return null;
    default:
      return objectOf(schema, filling, level);
  }
}

function text(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Record<string, unknown>,
  { said }: Filling,
): string {
  const words = said.words.slice(0, Number(maxLength));
  said.words = '';
  return words.padEnd(Number(minLength), '.');
}

function smallest({ minimum, exclusiveMinimum, maximum }: Record<string, unknown>): number {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' ? Math.min(0, maximum) : 0;
}

function list(
  { minItems = 0, items }: Record<string, unknown>,
  filling: Filling,
  level: number,
): JsonValue[] {
  const count = Math.min(Number(minItems), 100);
  return Array.from({ length: count }, () => valueFor(items, filling, level + 1));
}

function objectOf(schema: Record<string, unknown>, filling: Filling, level: number): JsonValue {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = required.filter((name): name is string => typeof name === 'string');
  return Object.fromEntries(names.map((name) => [name, valueFor(properties[name], filling, level + 1)]));
}

function at(ref: string, root: unknown): unknown {
  const keys = ref.split('/').slice(1);
  return keys.reduce<unknown>((place, key) => (isObject(place) ? place[key] : undefined), root);
}
