import * as z from 'zod/mini';
import { defaults } from '../enums.ts';
import { type NoticeFunction, noticeTypes } from '../ports.ts';
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

const webhook = z.strictObject({
  url: text,
  secretEnv: z.optional(text),
  events: z.optional(z.array(z.enum(noticeTypes)).check(z.minLength(1))),
  words: z.optional(z.boolean()),
});

/** A program may give a function. */
const told = z.custom<NoticeFunction>((value) => typeof value === 'function', 'expected a function');

export const notify = field(z.union([webhook, told]), {
  text: 'A [webhook](hooks.md#notifications) that Detent notifies when a run waits for a person or for the app, ends while nobody watches, or a person of the staff speaks.',
  defaultText: 'none',
  example: { url: 'https://shop.example/notices', secretEnv: 'NOTICES_SECRET' },
});
