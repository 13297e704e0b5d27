import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { texts } from './values.ts';

export const skills = group('Instructions for kinds of tasks; docs/skills.md says more.', {
  folders: field(texts, {
    text: 'Further folders of [skills](skills.md), from the workspace on.',
    default: [],
    example: ['../team/skills'],
  }),
  bundled: field(z.boolean(), { text: 'Whether the skills of Detent are there.', default: true }),
  allowed: field(texts, {
    text: 'The only skills that there are; `*` in a name stands for any characters.',
    defaultText: 'all',
    example: ['code-*'],
  }),
  disabled: field(texts, {
    text: 'Skills that there are not, whatever is allowed.',
    default: [],
    example: ['shopping-assistant'],
  }),
  approved: field(texts, {
    text: 'Hashes of skills that may spare a person questions, as `detent skills show` prints them; besides those that `detent skills approve` wrote down.',
    default: [],
  }),
});
