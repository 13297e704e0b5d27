import * as z from 'zod/mini';
import { approvals, deciders, defaults, staffNames } from '../enums.ts';
import { field, group } from './field.ts';
import { positive, texts } from './values.ts';

export const policy = group('Which tool calls a person must confirm.', {
  approve: field(z.enum(approvals), {
    text: 'Calls that need a confirmation: `ask` a person, approve `all`, or approve `none`.',
    default: defaults.policy.approve,
  }),
  confirm: field(z.record(z.string(), z.union([z.boolean(), z.enum(deciders)])), {
    text: 'By tool name, whether a person must confirm its calls, and [who](policy.md#who-may-decide): `user` or `staff`; overrides the setting of the tool. See [policy](policy.md) for the order of the rules.',
    default: {},
    example: { write_file: false },
  }),
  fourEyes: field(texts, {
    text: 'Tools whose calls always need a confirmation, and never by someone who [asked for them](policy.md#four-eyes); `*` stands for any characters. `ask` is what workflows ask.',
    default: [],
    example: ['refund', 'mcp__bank__*'],
  }),
  taint: field(z.enum(['confirm', 'off']), {
    text: '`confirm`: once [untrusted text](policy.md#untrusted-text) is in a conversation, calls that write or send need a confirmation. `off`: they do not.',
    default: defaults.policy.taint,
  }),
  untrusted: field(texts, {
    text: 'Globs of files whose text is untrusted, in addition to text from the web and from MCP servers.',
    default: [],
    example: ['inbox/**'],
  }),
});

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
