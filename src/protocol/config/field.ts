import * as z from 'zod/mini';

/** A field of the configuration, declared once: the check, `init`, `config show`, the JSON Schema and the docs read it. */
export interface Field<S extends z.ZodMiniType = z.ZodMiniType> extends FieldText {
  schema: S;
  /** In force when the field is left out. */
  default?: unknown;
  /** The fields of a group. */
  fields?: Fields;
  /** Of a record, whose keys are the user's: what each of them has. */
  entry?: Entry;
}

export type Fields = Readonly<Record<string, Field>>;

export interface FieldText {
  /** What the field is, on one line of Markdown. Links lead from docs/ and are left out elsewhere. */
  text: string;
  /** What is in force without the field, in Markdown, where `default` cannot say it or is too long to be shown. */
  defaultText?: string;
  /** What a new configuration shows, where that is not the default. */
  example?: unknown;
  /** As `example`, in TypeScript: for what only a program can bring. */
  code?: string;
  /** A new configuration has the field in force; the others are there to be uncommented. */
  isLive?: boolean;
}

export interface Entry {
  /** A key, as the docs write it (`NAME`), and as a new configuration does. */
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

/** Declares a field; a `default` keeps its type, so that the code takes the default from here. */
export function field<S extends z.ZodMiniType, const M extends Meta<S>>(
  schema: S,
  meta: M,
): { schema: S } & M {
  return { schema, ...meta };
}

/** Declares a field that has fields of its own, each of which may be left out. */
export function group<F extends Fields>(text: string, fields: F): Group<F> {
  return { schema: objectOf(fields), text, fields };
}

/** The schema of an object with these fields and no other. */
export function objectOf<F extends Fields>(fields: F): ObjectSchema<F> {
  const shape = Object.entries(fields).map(([name, { schema }]) => [name, z.optional(schema)]);
  return z.strictObject(Object.fromEntries(shape)) as ObjectSchema<F>;
}

/** A text without the links of its Markdown, for those who do not stand in docs/. */
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

/** A long time in words (`7 days`); null for what is no time, and for one that is read easily in milliseconds. */
export function longTime(name: string, value: unknown): string | null {
  if (!name.endsWith('Ms') || typeof value !== 'number' || value === 0) return null;
  const [ms, unit] = units.find(([size]) => value % size === 0) ?? [];
  if (ms === undefined) return null;
  const amount = value / ms;
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
