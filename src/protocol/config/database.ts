import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { count, text } from './values.ts';

export const database = group('Where runs are kept.', {
  file: field(text, {
    text: 'Where it is, from the workspace on; `:memory:` forgets.',
    default: '.detent/detent.db',
  }),
  synchronous: field(z.enum(['FULL', 'NORMAL']), {
    text: '`NORMAL` is faster, and may lose the last commits when the power fails.',
    default: 'FULL',
  }),
  groupCommit: field(z.boolean(), {
    text: 'Whether commits that arrive together share a transaction.',
    default: true,
  }),
  maxPages: field(count, {
    text: 'Bound of the file, in pages of 4 KB.',
    defaultText: 'none',
    example: 262_144,
  }),
});

export const secrets = field(z.array(z.string()), {
  text: 'Names of more environment variables whose values must never be stored.',
  default: [],
  example: ['SHOP_PIN'],
});
