import { isObject } from '../../../src/protocol/json.ts';

export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** Names of functions, at OpenAI and Anthropic alike (Anthropic allows 128 characters in the definition of a tool). */
export const functionName = /^[a-zA-Z0-9_-]{1,64}$/;

export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

export function isJsonObject(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

export function unknownFields(value: Fields, known: ReadonlySet<string>, where: string): string[] {
  return Object.keys(value).flatMap((field) => (known.has(field) ? [] : [`${where} has a field ${field}`]));
}

export function repeated(values: readonly unknown[]): unknown[] {
  return [...new Set(values.filter((value, i) => values.indexOf(value) !== i))];
}

/** Strings that JSON can carry and UTF-8 cannot: half a surrogate pair makes servers refuse the whole body. */
export function illFormed(value: unknown, where = 'the body'): string[] {
  if (isWellFormed(value)) return [];
  if (typeof value === 'string') return [`${where} has half a surrogate pair`];
  if (Array.isArray(value)) return value.flatMap((one, i) => illFormed(one, `${where}[${i}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => illFormed(one, `${where}.${name}`));
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  for (const one of Object.values(value)) if (!isWellFormed(one)) return false;
  return true;
}

/**
 * Whether a schema is one that OpenAI holds a model to: every object closed, and every property of it required.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrictSchema(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const parts = [schema.items, ...listOf(schema.anyOf), ...Object.values(fieldsOf(schema.$defs))];
  const isClosed =
    !isObject(schema.properties) ||
    (schema.additionalProperties === false &&
      Object.keys(schema.properties).every((name) => [schema.required].flat().includes(name)));
  const within = [...parts, ...Object.values(fieldsOf(schema.properties))].filter(
    (part) => part !== undefined,
  );
  return isClosed && !('allOf' in schema) && !('oneOf' in schema) && within.every(isStrictSchema);
}

/**
 * What OpenAI refuses the schema of an output for; of both of its wires.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs
 */
export function outputSchemaViolations({ name, schema, strict, ...rest }: Fields, where: string): string[] {
  return [
    ...unknownFields(rest, new Set(['description']), where),
    ...(typeof name === 'string' && functionName.test(name) ? [] : [`${where} has no valid name`]),
    // "schema must be a JSON Schema of 'type: "object"'"
    ...(fieldsOf(schema).type === 'object' ? [] : [`${where} is of no object`]),
    ...(strict === true && !isStrictSchema(schema) ? [`${where} is strict and open`] : []),
  ];
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

export function isBase64(data: unknown): boolean {
  return typeof data === 'string' && data.length % 4 === 0 && base64.test(data);
}

/** `data:image/png;base64,…` or an address. */
export function isImageAddress(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  const [, data] = /^data:image\/(?:png|jpeg|gif|webp);base64,(.*)$/s.exec(url) ?? [];
  return data === undefined ? /^https?:\/\/./.test(url) : isBase64(data);
}

/** Of files: `data:application/pdf;base64,…`. */
export function isFileData(url: unknown): boolean {
  const [, data] = /^data:[a-z0-9.+-]+\/[a-z0-9.+-]+;base64,(.*)$/s.exec(String(url)) ?? [];
  return data !== undefined && isBase64(data);
}
