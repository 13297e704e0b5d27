import * as z from 'zod/mini';
import { defaults } from '../enums.ts';
import { field } from './field.ts';

export const system = field(z.string(), {
  text: 'The system prompt.',
  default: defaults.system,
  defaultText: "be helpful, use the tools, answer in the user's language",
  example: 'You are a helpful assistant. Look things up with your tools before you speak of them.',
  isLive: true,
});
