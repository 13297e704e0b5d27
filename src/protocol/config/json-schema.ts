import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../json.ts';
import { configSchema, configTree } from './config.ts';
import { type Field, type Fields, withoutLinks } from './field.ts';

/**
 * The JSON Schema of a configuration file (draft 7, which editors support): every field with its text, its default and
 * an example. Fields that only a program can set are left out.
 *
 * @see https://json-schema.org/draft-07
 */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  // A deep copy: zod returns one shared object for a schema that is used in two places.
  const copy = JSON.parse(JSON.stringify(schema)) as JsonObject;
  describeFields(copy, configTree);
  return { title: 'Configuration of Detent', ...copy };
}

function describeFields({ properties }: JsonObject, fields: Fields): void {
  if (!isObject(properties)) return;
  for (const [name, field] of Object.entries(fields)) {
    const property = properties[name];
    if (!isObject(property)) continue;
    if (field.code === undefined) describeField(property as JsonObject, field);
    else delete properties[name];
  }
}

function describeField(property: JsonObject, { text, fields, entry, example, default: value }: Field): void {
  property.description = withoutLinks(text);
  if (value !== undefined) property.default = value as JsonObject[string];
  if (example !== undefined) property.examples = [example as JsonObject[string] & {}];
  if (fields) describeFields(property, fields);
  if (!entry) return;
  const inner = property.additionalProperties as JsonObject;
  // The last branch of a union is the one that a file can hold.
  const written = Array.isArray(inner.anyOf) ? (inner.anyOf.at(-1) as JsonObject) : inner;
  property.additionalProperties = written;
  describeFields(written, entry.fields);
}
