import * as z from 'zod/mini';
import { defaults, staffNames } from '../enums.ts';
import { field, group } from './field.ts';
import { positive } from './values.ts';

export const takeover = group('When a [person takes a conversation over](takeover.md).', {
  expiresMs: field(positive, {
    text: 'If nobody gives a conversation back, it returns to its agent this long after the last action of the staff.',
    default: defaults.takeover.expiresMs,
  }),
  names: field(z.enum(staffNames), {
    text: 'The name that users see beside messages of the staff: `hidden`: none; `token`: the name of the token, which people choose.',
    default: defaults.takeover.names,
  }),
});
