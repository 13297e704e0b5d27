import { configSchema } from './config.ts';

/** How a field is written as text; a `list` is one of texts. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'list';

/** A field of the configuration that has one value, at a fixed path. */
export interface ConfigField {
  /** `limits.maxSteps` */
  path: string;
  kind: FieldKind;
  /** Of a `choice`. */
  choices: readonly string[];
}

/** What this module looks at in a zod schema. */
interface Schema {
  _zod: {
    def: {
      type: string;
      shape?: Readonly<Record<string, Schema>>;
      innerType?: Schema;
      element?: Schema;
      entries?: Readonly<Record<string, string>>;
    };
  };
}

let fields: readonly ConfigField[] | undefined;

/**
 * Every field that can be written as text, read off the schema. Records (providers, agents, tool sets, confirmations by
 * tool) are left out, since their keys are the user's, and so is what only a program can bring.
 */
export function configFields(): readonly ConfigField[] {
  fields ??= fieldsOf(configSchema as unknown as Schema, []);
  return fields;
}

function fieldsOf({ _zod: { def } }: Schema, path: readonly string[]): ConfigField[] {
  if (def.type === 'optional' && def.innerType) return fieldsOf(def.innerType, path);
  if (def.type === 'object')
    return Object.entries(def.shape ?? {}).flatMap(([key, inner]) => fieldsOf(inner, [...path, key]));
  const kind = kindOf(def);
  if (kind === null) return [];
  return [{ path: path.join('.'), kind, choices: kind === 'choice' ? Object.values(def.entries ?? {}) : [] }];
}

function kindOf({ type, element }: Schema['_zod']['def']): FieldKind | null {
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
