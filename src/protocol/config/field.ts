import * as z from 'zod/mini';

/**
 * A field of the configuration, declared once: the check, `init`, `config show`, the JSON Schema and the docs read it.
 */
export interface Field<S extends z.ZodMiniType = z.ZodMiniType> extends FieldText {
  schema: S;
  /** Used when the field is left out. */
  default?: unknown;
  /** The fields of a group. */
  fields?: Fields;
  /** For a record, whose keys the user chooses: what its values hold. */
  entry?: Entry;
}

export type Fields = Readonly<Record<string, Field>>;

export interface FieldText {
  /** What the field is, on one line of Markdown. Links lead from docs/ and are left out elsewhere. */
  text: string;
  /** The default in words (Markdown), where `default` cannot say it or is too long to show. */
  defaultText?: string;
  /** The value in a new configuration, if that is not the default. */
  example?: unknown;
  /** Like `example`, as TypeScript code: for values that only a program can set. */
  code?: string;
  /** A new configuration sets the field; it has the others as comments. */
  isLive?: boolean;
}

export interface Entry {
  /** The placeholder for a key in the docs: `NAME`. A new configuration uses `exampleKey`. */
  key: string;
  exampleKey: string;
  text: string;
  fields: Fields;
}

/** Strict: a key that is not declared is an error. */
type ObjectSchema<F extends Fields> = z.ZodMiniObject<
  { [Name in keyof F]: z.ZodMiniOptional<F[Name]['schema']> },
  z.core.$strict
>;

export interface Group<F extends Fields> extends Field<ObjectSchema<F>> {
  fields: F;
}

type Meta<S extends z.ZodMiniType> = FieldText & { default?: z.infer<S>; entry?: Entry };

/** Declares a field. A `default` keeps its type, so code can read the default from here. */
export function field<S extends z.ZodMiniType, const M extends Meta<S>>(
  schema: S,
  meta: M,
): { schema: S } & M {
  return { schema, ...meta };
}

/** Declares a field with fields of its own, all optional. */
export function group<F extends Fields>(text: string, fields: F): Group<F> {
  return { schema: objectOf(fields), text, fields };
}

/** The schema of an object with exactly these fields, all optional. */
export function objectOf<F extends Fields>(fields: F): ObjectSchema<F> {
  const shape = Object.entries(fields).map(([name, { schema }]) => [name, z.optional(schema)]);
  return z.strictObject(Object.fromEntries(shape)) as ObjectSchema<F>;
}

/** Markdown without its links, for output outside docs/, where relative links lead nowhere. */
export function withoutLinks(markdown: string): string {
  return markdown
    .replaceAll(/see \[[^\]]*\]\(([\w-]+\.md)[^)]*\)/g, 'see docs/$1')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

const units: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** A duration in words (`7 days`). Null for a field that is no duration, and for less than a minute. */
export function longTime(name: string, value: unknown): string | null {
  if (!name.endsWith('Ms') || typeof value !== 'number' || value === 0) return null;
  const [ms, unit] = units.find(([size]) => value % size === 0) ?? [];
  if (ms === undefined) return null;
  const amount = value / ms;
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
