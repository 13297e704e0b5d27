import { didYouMean } from '../../text/wording.ts';

/** The parts of a zod schema that say which fields it has. */
interface Schema {
  _zod: {
    def: {
      type: string;
      shape?: Readonly<Record<string, Schema>>;
      innerType?: Schema;
      valueType?: Schema;
      element?: Schema;
      options?: readonly Schema[];
    };
  };
}

export const noSuchField = 'there is no such field';

/** People read no longer list. */
const maxListed = 12;

/** Says that a field does not exist, and which one it most likely means, or else which there are. */
export function describeNoSuchField(schema: Schema, path: readonly PropertyKey[], key: string): string {
  const names = namesAt(schema, path);
  const meant = didYouMean(key, names);
  const isListed = meant === '' && names.length > 0 && names.length <= maxListed;
  return `${noSuchField}${isListed ? `; there are ${names.join(', ')}` : meant}`;
}

/** The last option of a union is the one that people write by hand. */
function namesAt(schema: Schema | undefined, path: readonly PropertyKey[]): string[] {
  const { shape, innerType, valueType, element, options } = schema?._zod.def ?? {};
  const within = innerType ?? options?.at(-1);
  if (within) return namesAt(within, path);
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(shape ?? {});
  return namesAt(shape?.[String(key)] ?? valueType ?? element, rest);
}
