import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';

/** Keywords by which an object may have properties that the schema does not name. */
const opening = ['patternProperties', 'propertyNames', 'unevaluatedProperties', 'dependentSchemas'];
const single = ['items', 'not', 'if', 'then', 'else', 'contains'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const maps = ['properties', '$defs', 'definitions'];

/**
 * A copy in which every object refuses properties that it does not name, as providers want it that hold answers to a
 * schema. Null when that would change what the schema means: for an object that is open on purpose or names no
 * properties, and for a schema whose root is no object.
 *
 * An object that names its properties and says nothing of others is closed: a model has no reason to add one.
 */
export function closedSchema(schema: JsonObject): JsonObject | null {
  return schema.type === 'object' ? closed(schema) : null;
}

function closed(schema: JsonValue): JsonObject | null {
  if (!isObject(schema)) return null;
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema as JsonObject)) {
    const inner = closedInside(keyword, value);
    if (inner === undefined) return null;
    copy[keyword] = inner;
  }
  if (![schema.type].flat().includes('object')) return copy;
  const isOpen = (schema.additionalProperties ?? false) !== false || opening.some((word) => word in schema);
  return isOpen || !isObject(schema.properties) ? null : { ...copy, additionalProperties: false };
}

/** Undefined when a schema inside cannot be closed. */
function closedInside(keyword: string, value: JsonValue): JsonValue | undefined {
  if (single.includes(keyword)) return closed(value) ?? undefined;
  if (lists.includes(keyword)) {
    const items = Array.isArray(value) ? value.map(closed) : [null];
    return items.every((item) => item !== null) ? items : undefined;
  }
  if (!maps.includes(keyword)) return value;
  const entries = Object.entries(isObject(value) ? (value as JsonObject) : {});
  const made = entries.flatMap(([name, item]) => {
    const inner = closed(item);
    return inner === null ? [] : [[name, inner] as const];
  });
  return made.length === entries.length ? Object.fromEntries(made) : undefined;
}
