import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { OutputSpec } from '../../protocol/ports.ts';
import { closedSchema } from '../wire/closed-schema.ts';

/** Schema keywords that every model with strict tools supports; the limits are those of the oldest models. */
const keywords = new Set([
  '$schema',
  'additionalProperties',
  'anyOf',
  'const',
  'description',
  'enum',
  'items',
  'properties',
  'required',
  'title',
  'type',
]);
const maxLevels = 5;
const maxProperties = 100;

/**
 * An output schema as OpenAI's requests have it. `strict`, so that the server holds the answer to the schema, only where
 * the closed schema can be sent so. Otherwise the schema goes as it is, and guides the model.
 *
 * @param mayEnforce whether the server knows strict schemas
 * @see https://platform.openai.com/docs/guides/structured-outputs
 */
export function schemaFormat({ schema }: OutputSpec, mayEnforce: boolean): JsonObject {
  const closed = mayEnforce ? closedSchema(schema) : null;
  const strict = fitsStrict(closed);
  return { name: 'output', schema: strict && closed ? closed : schema, strict };
}

/**
 * Whether OpenAI can enforce the parameters of a tool as they are: every object closed, every property required. Other
 * schemas stay unchanged, because closing them would change their meaning.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function fitsStrict(parameters: unknown): boolean {
  if (!isObject(parameters) || parameters.type !== 'object') return false;
  const count = { properties: 0 };
  return fits(parameters, 1, count) && count.properties <= maxProperties;
}

function fits(schema: unknown, level: number, count: { properties: number }): boolean {
  if (!isObject(schema) || level > maxLevels) return false;
  if (!Object.keys(schema).every((keyword) => keywords.has(keyword))) return false;
  const { type, properties, items, anyOf } = schema;
  if (anyOf !== undefined) {
    if (!Array.isArray(anyOf) || level === 1) return false;
    return anyOf.every((choice) => fits(choice, level + 1, count));
  }
  if (type === undefined) return false;
  const types = [type].flat();
  if (types.includes('object') !== (properties !== undefined)) return false;
  if (types.includes('array') !== (items !== undefined)) return false;
  if (items !== undefined && !fits(items, level + 1, count)) return false;
  return properties === undefined || fitsObject(schema, level, count);
}

function fitsObject(
  { properties, required, additionalProperties }: Record<string, unknown>,
  level: number,
  count: { properties: number },
): boolean {
  if (!isObject(properties) || additionalProperties !== false) return false;
  const names = Object.keys(properties);
  count.properties += names.length;
  const isRequired = new Set(Array.isArray(required) ? required : []);
  return names.every((name) => isRequired.has(name) && fits(properties[name], level + 1, count));
}
