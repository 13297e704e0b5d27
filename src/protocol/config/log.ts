import * as z from 'zod/mini';
import { defaults } from '../enums.ts';
import { field, group } from './field.ts';
import { text } from './values.ts';

export const log = group('A structured log of what runs do, one JSON object per line.', {
  level: field(z.enum(['silent', 'error', 'warn', 'info', 'debug']), {
    text: 'How much is [logged](logging.md): `silent`, `error`, `warn`, `info` or `debug`.',
    default: defaults.log.level,
    example: 'info',
  }),
  file: field(text, {
    text: 'The log file, relative to the workspace.',
    defaultText: 'stderr',
    example: '.detent/detent.log',
  }),
});
