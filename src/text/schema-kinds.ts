import { config } from 'zod';
import en from 'zod/v4/locales/en.js';

// The messages of a schema, which zod's main module would set.
config(en());

export type { infer } from 'zod';
/** The kinds of zod schema that Detent's own tools use: a bundle leaves out the others, and zod's 50 languages. */
export {
  array,
  boolean,
  discriminatedUnion,
  enum,
  int,
  literal,
  looseObject,
  nullable,
  number,
  record,
  strictObject,
  string,
  union,
} from 'zod';
