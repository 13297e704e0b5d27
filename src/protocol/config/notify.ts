import * as z from 'zod/mini';
import { type NoticeFunction, noticeTypes } from '../ports.ts';
import { field } from './field.ts';
import { text } from './values.ts';

const webhook = z.strictObject({
  url: text,
  secretEnv: z.optional(text),
  events: z.optional(z.array(z.enum(noticeTypes)).check(z.minLength(1))),
  words: z.optional(z.boolean()),
});

/** A program may give a function. */
const told = z.custom<NoticeFunction>((value) => typeof value === 'function', 'expected a function');

export const notify = field(z.union([webhook, told]), {
  text: 'A [webhook that is told](hooks.md#told-when-it-matters) when a run waits for a person or for the app, ends while nobody watches, or a person of the staff speaks.',
  defaultText: 'none',
  example: { url: 'https://shop.example/notices', secretEnv: 'NOTICES_SECRET' },
});
