import * as z from 'zod/mini';
import { defaults } from '../enums.ts';
import { field, group } from './field.ts';
import { count, text } from './values.ts';

export const database = group('Where runs are stored.', {
  file: field(text, {
    text: 'The database file, relative to the workspace. `:memory:` keeps nothing after the process ends.',
    default: defaults.database.file,
  }),
  url: field(text, {
    text: '[PostgreSQL](postgres.md) in place of the file. Without both, the variable `DATABASE_URL` counts.',
    defaultText: 'none',
    example: 'postgres://user:password@host:5432/database',
  }),
  synchronous: field(z.enum(['FULL', 'NORMAL']), {
    text: '`FULL` survives a power failure. `NORMAL` is faster, and a power failure may lose the last commits.',
    default: defaults.database.synchronous,
  }),
  groupCommit: field(z.boolean(), {
    text: 'Whether commits that arrive together share a transaction.',
    default: defaults.database.groupCommit,
  }),
  maxPages: field(count, {
    text: 'Maximum size of the file, in pages of 4 KB.',
    defaultText: 'none',
    example: 262_144,
  }),
});

export const secrets = field(z.array(z.string()), {
  text: 'Names of further environment variables whose values must never be stored.',
  default: [],
  example: ['SHOP_PIN'],
});
