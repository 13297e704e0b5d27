import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { texts } from './values.ts';

export const policy = group('When a person is asked.', {
  approve: field(z.enum(['ask', 'all', 'none']), {
    text: 'Calls that need a person: `ask`, `all` are approved, `none` is.',
    default: 'ask',
  }),
  confirm: field(z.record(z.string(), z.boolean()), {
    text: 'By tool name, whether a person is asked, instead of what the tool itself says; see [policy](policy.md) for the order of the rules.',
    default: {},
    example: { write_file: false },
  }),
  taint: field(z.enum(['confirm', 'off']), {
    text: 'Once [untrusted text](policy.md#untrusted-text) is in a conversation, calls that write or send are asked about; `off`: they are not.',
    default: 'confirm',
  }),
  untrusted: field(texts, {
    text: 'Globs of files whose text is untrusted, besides what comes from the web and from MCP servers.',
    default: [],
    example: ['inbox/**'],
  }),
});
