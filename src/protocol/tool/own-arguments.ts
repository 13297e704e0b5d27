import type { ValueCheck } from '../../text/json-schema.ts';
import { isObject } from '../json.ts';

/** What one of the arguments may be: a part of JSON Schema, as far as Detent's own tools need it. */
type Field = { description?: string } & (
  | { type: 'string'; enum?: readonly string[]; minLength?: number; maxLength?: number }
  | { type: 'integer' | 'number'; minimum?: number; maximum?: number }
  | { type: 'boolean' }
  | { type: 'array'; items: Field; minItems?: number; maxItems?: number }
  | { type: 'object'; additionalProperties: Field }
  | ClosedObject<Fields, string>
);
type Fields = Readonly<Record<string, Field>>;

/** An object of these fields and no others. */
interface ClosedObject<Properties extends Fields, Required extends string> {
  type: 'object';
  properties: Properties;
  required: readonly Required[];
  additionalProperties: false;
}

/** What is valid by a schema. */
type ValueOf<Schema> = Schema extends { enum: readonly (infer Word)[] }
  ? Word
  : Schema extends { type: 'string' }
    ? string
    : Schema extends { type: 'integer' | 'number' }
      ? number
      : Schema extends { type: 'boolean' }
        ? boolean
        : Schema extends { type: 'array'; items: infer Item }
          ? ValueOf<Item>[]
          : Schema extends ClosedObject<infer Properties, infer Required>
            ? { [Name in keyof Properties & Required]: ValueOf<Properties[Name]> } & {
                [Name in Exclude<keyof Properties, Required>]?: ValueOf<Properties[Name]>;
              }
            : Schema extends { type: 'object'; additionalProperties: infer Value }
              ? Record<string, ValueOf<Value>>
              : never;

/** An object with the fields of `required`, maybe those of `optional`, and no others. */
export function closed<const Required extends Fields, const Optional extends Fields = Record<never, Field>>(
  required: Required,
  optional?: Optional,
): ClosedObject<Required & Optional, Extract<keyof Required, string>> {
  return {
    type: 'object',
    properties: { ...required, ...optional } as Required & Optional,
    required: Object.keys(required) as Extract<keyof Required, string>[],
    additionalProperties: false,
  };
}

/** A Standard Schema (https://standardschema.dev) that is stated as JSON Schema. */
interface OwnArguments<Args> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'detent';
    validate(value: unknown): Promise<{ value: Args; issues?: undefined } | { issues: Issue[] }>;
    readonly jsonSchema: { input(): Record<string, unknown> };
  };
}

interface Issue {
  message: string;
  path?: readonly PropertyKey[];
}

/** The arguments that a tool with this schema gets. */
export type ArgumentsOf<Schema> = Schema extends OwnArguments<infer Args> ? Args : never;

/**
 * The arguments of one of Detent's own tools: those of `required`, maybe those of `optional`, and no others. They are stated as a
 * model gets them; what validates them is loaded, and made of them, with the first call.
 *
 * @param trimmed the arguments whose texts the tool gets without white space around them: valid by the schema, too
 * @param problemOf what is wrong with arguments of which each is valid
 */
export function ownArguments<
  const Required extends Fields,
  const Optional extends Fields = Record<never, Field>,
  Args = ValueOf<ClosedObject<Required & Optional, Extract<keyof Required, string>>>,
>(
  required: Required,
  optional?: Optional,
  {
    trimmed = [],
    problemOf = () => undefined,
  }: {
    trimmed?: readonly Extract<keyof NoInfer<Required & Optional>, string>[];
    problemOf?: (args: Args) => string | undefined;
  } = {},
): OwnArguments<Args> {
  const schema = closed(required, optional);
  let check: ValueCheck | null = null;
  return {
    '~standard': {
      version: 1,
      vendor: 'detent',
      async validate(given) {
        check ??= (await import('../../text/json-schema.ts')).compileSchema(schema);
        const issues = check(given);
        if (issues.length > 0) return { issues };
        const value = trimmed.length === 0 ? given : withTrimmed(given, trimmed);
        const left = value === given ? [] : check(value);
        if (left.length > 0) return { issues: left };
        const args = value as Args;
        const message = problemOf(args);
        return message === undefined ? { value: args } : { issues: [{ message }] };
      },
      jsonSchema: { input: () => ({ ...schema }) },
    },
  };
}

function withTrimmed(args: unknown, names: readonly string[]): unknown {
  return mapFields(args, (value, name) => (names.includes(name) ? trim(value) : value));
}

function trim(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  return Array.isArray(value) ? value.map(trim) : mapFields(value, trim);
}

function mapFields(value: unknown, map: (field: unknown, name: string) => unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, map(field, name)]));
}
