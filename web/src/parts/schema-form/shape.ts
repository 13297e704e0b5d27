import { isObject } from '#src/protocol/json.ts';

/** A JSON Schema, as far as a form reads it. */
type JsonSchema = Readonly<Record<string, unknown>>;

interface Common {
  title?: string;
  about?: string;
}

/** What a form has an input for. `json`: a text area for any value, for what no other kind can express. */
export type Shape = Common &
  (
    | {
        kind: 'text';
        isLong: boolean;
        minLength?: number;
        maxLength?: number;
        pattern?: string;
        format?: string;
      }
    | {
        kind: 'number';
        isInteger: boolean;
        min?: number;
        max?: number;
        above?: number;
        below?: number;
        step?: number;
      }
    | { kind: 'boolean' }
    | { kind: 'choice'; options: readonly Option[] }
    | { kind: 'choices'; options: readonly Option[]; minItems?: number; maxItems?: number }
    | { kind: 'list'; item: JsonSchema; root: JsonSchema; minItems?: number; maxItems?: number }
    | { kind: 'object'; fields: readonly Field[] }
    | {
        kind: 'union';
        variants: readonly { name: string; shape: Shape; schema: JsonSchema }[];
        root: JsonSchema;
      }
    | { kind: 'null' }
    | { kind: 'json' }
  );

interface Option {
  value: unknown;
  title: string;
}

export interface Field {
  name: string;
  shape: Shape;
  isRequired: boolean;
  /** Used where the value has none. */
  default?: unknown;
}

/** Deeper values are written as JSON. Also ends schemas that contain themselves. */
const maxDepth = 6;
/** Longer texts, and those of several lines, get a text area. */
const longText = 80;

/**
 * The inputs for a schema. Where the value does not fit the schema, or the schema says what no input can express, it is a JSON text:
 * no part of a value is ever lost.
 *
 * @param value what the form begins with; undefined for nothing
 */
export function shapeOf(
  schema: unknown,
  value: unknown,
  root: JsonSchema = asSchema(schema),
  depth = 0,
): Shape {
  const found = resolved(schema, root);
  const about = commonOf(found);
  if (depth > maxDepth) return { kind: 'json', ...about };
  const shape = { ...about, ...plainShape(found, value, root, depth) } as Shape;
  return value === undefined || fits(shape, value) ? shape : { kind: 'json', ...about };
}

function plainShape(schema: JsonSchema, value: unknown, root: JsonSchema, depth: number): Shape {
  const { type, enum: values } = schema;
  if ('const' in schema) return { kind: 'choice', options: [option(schema.const)] };
  if (Array.isArray(values)) return { kind: 'choice', options: values.map((one) => option(one)) };
  const variants = variantsOf(schema);
  if (variants) return unionShape(variants, value, root, depth);
  if (type === 'string') return textShape(schema, value);
  if (type === 'number' || type === 'integer') return numberShape(schema);
  if (type === 'boolean' || type === 'null') return { kind: type };
  if (type === 'array') return listShape(schema, value, root, depth);
  if (type === 'object' && isObject(schema.properties)) return objectShape(schema, value, root, depth);
  return { kind: 'json' };
}

/** `type: ['string', 'null']`, `anyOf` and `oneOf` say the same. */
function variantsOf(schema: JsonSchema): JsonSchema[] | null {
  const { type, anyOf, oneOf } = schema;
  if (Array.isArray(type)) return type.map((one) => ({ ...schema, type: one }));
  const given = anyOf ?? oneOf;
  return Array.isArray(given) && given.length > 0 ? given.map(asSchema) : null;
}

function unionShape(variants: JsonSchema[], value: unknown, root: JsonSchema, depth: number): Shape {
  const known = variants.map((one) => resolved(one, root));
  const [only] = known;
  if (only && known.length === 1) return shapeOf(only, value, root, depth);
  if (known.every((one) => 'const' in one))
    return { kind: 'choice', options: known.map((one) => option(one.const, textOf(one.title))) };
  const shown = known.map((schema, at) => {
    const fitting = fits(shapeOf(schema, undefined, root, depth + 1), value) ? value : undefined;
    const shape = shapeOf(schema, fitting, root, depth + 1);
    return { name: shape.title ?? nameOf(shape, at), shape, schema };
  });
  return shown.some(({ shape }) => shape.kind === 'json')
    ? { kind: 'json' }
    : { kind: 'union', variants: shown, root };
}

function textShape(schema: JsonSchema, value: unknown): Shape {
  const { minLength, maxLength, pattern, format } = schema;
  const isLong = typeof value === 'string' && (value.includes('\n') || value.length > longText);
  return {
    kind: 'text',
    isLong,
    ...numbers({ minLength, maxLength }),
    ...(typeof pattern === 'string' && { pattern }),
    ...(typeof format === 'string' && { format }),
  };
}

function numberShape({
  type,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: JsonSchema): Shape {
  const bounds = {
    min: minimum,
    max: maximum,
    above: exclusiveMinimum,
    below: exclusiveMaximum,
    step: multipleOf,
  };
  return { kind: 'number', isInteger: type === 'integer', ...numbers(bounds) };
}

function listShape(schema: JsonSchema, value: unknown, root: JsonSchema, depth: number): Shape {
  const { items, minItems, maxItems, uniqueItems, prefixItems } = schema;
  if (!isObject(items) || prefixItems !== undefined) return { kind: 'json' };
  const item = resolved(items, root);
  const counts = numbers({ minItems, maxItems });
  const one = shapeOf(item, undefined, root, depth + 1);
  if (one.kind === 'choice' && (uniqueItems === true || areDifferent(value)))
    return { kind: 'choices', options: one.options, ...counts };
  return { kind: 'list', item, root, ...counts };
}

function objectShape(schema: JsonSchema, value: unknown, root: JsonSchema, depth: number): Shape {
  const properties = asSchema(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const given = isObject(value) ? value : {};
  const fields = Object.entries(properties).map(([name, property]): Field => {
    const found = resolved(property, root);
    return {
      name,
      shape: shapeOf(property, Object.hasOwn(given, name) ? given[name] : undefined, root, depth + 1),
      isRequired: required.includes(name),
      ...('default' in found && { default: found.default }),
    };
  });
  const others = Object.keys(given).filter((name) => !Object.hasOwn(properties, name));
  const unknown = others.map((name): Field => ({ name, shape: plainest(given[name]), isRequired: false }));
  return { kind: 'object', fields: [...fields, ...unknown] };
}

/** For a value without a schema. */
function plainest(value: unknown): Shape {
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean'
    ? plainShape({ type }, value, {}, 0)
    : { kind: 'json' };
}

/** Whether an input of this shape can hold the value. */
export function fits(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'choice':
      return shape.options.some((one) => isSame(one.value, value));
    case 'choices':
      return (
        Array.isArray(value) && value.every((one) => shape.options.some((known) => isSame(known.value, one)))
      );
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'union':
      return shape.variants.some((variant) => fits(variant.shape, value));
    case 'json':
      return true;
  }
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Follows `$ref` within the schema, and takes the one part of an `allOf`. */
function resolved(schema: unknown, root: JsonSchema): JsonSchema {
  let found = asSchema(schema);
  for (let step = 0; step < maxDepth; step++) {
    const { $ref, allOf, ...rest } = found;
    if (typeof $ref === 'string') found = { ...asSchema(atPointer($ref, root)), ...rest };
    else if (Array.isArray(allOf) && allOf.length === 1) found = { ...asSchema(allOf[0]), ...rest };
    else return found;
  }
  return {};
}

function atPointer(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#')) return undefined;
  const names = ref.slice(1).split('/').slice(1);
  return names.reduce<unknown>((inner, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, root);
}

function asSchema(schema: unknown): JsonSchema {
  return isObject(schema) ? schema : {};
}

function commonOf({ title, description }: JsonSchema): Common {
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { about: description }),
  };
}

function option(value: unknown, title?: string): Option {
  return { value, title: title ?? (typeof value === 'string' ? value : JSON.stringify(value)) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function nameOf({ kind }: Shape, at: number): string {
  return kind === 'object' || kind === 'list' ? `${kind} ${at + 1}` : kind;
}

/** Those of the values that are numbers. */
function numbers(values: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

function areDifferent(value: unknown): boolean {
  return Array.isArray(value) && new Set(value.map((one) => JSON.stringify(one))).size === value.length;
}
