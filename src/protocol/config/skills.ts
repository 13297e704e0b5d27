import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { texts } from './values.ts';

export const skills = group('Instructions for kinds of tasks (skills); see docs/skills.md.', {
  folders: field(texts, {
    text: 'Further folders of [skills](skills.md), relative to the workspace.',
    default: [],
    example: ['../team/skills'],
  }),
  bundled: field(z.boolean(), {
    text: 'Whether the skills that come with Detent may be used.',
    default: true,
  }),
  allowed: field(texts, {
    text: 'The only skills that may be used; `*` in a name matches any characters.',
    defaultText: 'all',
    example: ['code-*'],
  }),
  disabled: field(texts, {
    text: 'Skills that may not be used, even if `skills.allowed` names them.',
    default: [],
    example: ['shopping-assistant'],
  }),
  approved: field(texts, {
    text: 'Hashes of trusted skills, which may skip confirmations, as `detent skills show` prints them; in addition to those that `detent skills approve` recorded.',
    default: [],
  }),
});
