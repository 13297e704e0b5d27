import * as z from 'zod/mini';
import { defaults, staffNames } from '../enums.ts';
import { field, group } from './field.ts';
import { positive } from './values.ts';

export const takeover = group('When a [person takes a conversation over](takeover.md).', {
  expiresMs: field(positive, {
    text: 'How long after the last act of the staff a conversation that nobody gave back goes back to its agent.',
    default: defaults.takeover.expiresMs,
  }),
  names: field(z.enum(staffNames), {
    text: 'The name that users read beside words of the staff: `hidden`, none; `token`, that of the token, which people choose.',
    default: defaults.takeover.names,
  }),
});
