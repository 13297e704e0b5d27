import { configTree } from './config.ts';
import type { Field, Fields } from './field.ts';

/** How a field is written as text. A `list` holds texts. */
type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'list';

/** A field of the configuration that has one value, at a fixed path. */
export interface ConfigField {
  /** `limits.maxSteps` */
  path: string;
  kind: FieldKind;
  /** The values of a `choice`; empty for other kinds. */
  choices: readonly string[];
  /** Undefined if there is none, or if it depends on something else. */
  default: unknown;
}

/** The parts of a zod schema that this module reads. */
interface Definition {
  type: string;
  element?: { _zod: { def: Definition } };
  entries?: Readonly<Record<string, string>>;
}

let listed: readonly ConfigField[] | undefined;

/**
 * Every field that can be written as text. Left out are records (providers, agents, tool sets, confirmations by tool),
 * since the user chooses their keys, and fields that only a program can set.
 */
export function configFields(): readonly ConfigField[] {
  listed ??= fieldsOf(configTree, []);
  return listed;
}

function fieldsOf(fields: Fields, path: readonly string[]): ConfigField[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.fields ? fieldsOf(field.fields, [...path, name]) : fieldOf(field, [...path, name]),
  );
}

function fieldOf({ schema, default: value }: Field, path: readonly string[]): ConfigField[] {
  const def: Definition = schema._zod.def;
  const kind = fieldKind(def);
  if (kind === null) return [];
  const choices = kind === 'choice' ? Object.values(def.entries ?? {}) : [];
  return [{ path: path.join('.'), kind, choices, default: value }];
}

function fieldKind({ type, element }: Definition): FieldKind | null {
  switch (type) {
    case 'string':
      return 'text';
    case 'number':
    case 'boolean':
      return type;
    case 'enum':
      return 'choice';
    case 'array':
      return element?._zod.def.type === 'string' ? 'list' : null;
    default:
      return null;
  }
}
