import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { text } from './values.ts';

export const log = group('One JSON object a line for what runs do: to stderr, or to a file.', {
  level: field(z.enum(['silent', 'error', 'warn', 'info', 'debug']), {
    text: '`silent`, `error`, `warn`, `info` or `debug`: what is [logged](logging.md).',
    default: 'silent',
    example: 'info',
  }),
  file: field(text, {
    text: 'The file, from the workspace on.',
    defaultText: 'stderr',
    example: '.detent/detent.log',
  }),
});
