import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { count, name, texts, withMethod } from './values.ts';

export const tools = group('What the model can call.', {
  define: field(z.array(withMethod('run', 'a tool made with defineTool')), {
    text: 'Your own tools, made with `defineTool`; they join the built-in ones.',
    default: [],
    code: '[weather]',
    isLive: true,
  }),
  sets: field(z.record(name, texts), {
    text: 'Names for [lists of tools](#sets-of-tools); where tools are listed, `@name` stands for them.',
    default: {},
    example: { look: ['read_file', 'list_files'] },
  }),
  allowed: field(texts, {
    text: 'The only tools that runs may use; a run can narrow this, never widen it.',
    defaultText: 'all',
    example: ['read_file', 'calculator', 'datetime'],
  }),
  disabled: field(texts, {
    text: 'Tools that no run may use, whatever else allows them.',
    default: [],
    example: ['edit_file'],
  }),
  limits: field(
    z.record(
      z.string(),
      z.strictObject({
        maxConcurrent: z.optional(count),
        retries: z.optional(z.number().check(z.int(), z.gte(0), z.lte(10))),
      }),
    ),
    {
      text: "By tool name, `maxConcurrent` and `retries` in place of [the tool's own](tools.md#limits-of-a-tool).",
      default: {},
      example: { http_get: { maxConcurrent: 4, retries: 2 } },
    },
  ),
});

export const sandbox = field(z.enum(['auto', 'bubblewrap', 'none']), {
  text: 'What the shell runs commands in: `auto` or `bubblewrap`, or `none`: this machine, as it is; see [sandbox](sandbox.md).',
  default: 'auto',
});

/** Host names, addresses and networks; `http_get` knows what they may look like. */
export const egress = group('Where http_get may go besides the public internet, and where it may not go.', {
  allow: field(texts, {
    text: 'Hosts, addresses and networks that [`http_get`](tools.md#http_get) may reach although they are not public.',
    default: [],
    example: ['wiki.corp.example', '10.1.0.0/16'],
  }),
  deny: field(texts, {
    text: 'Those that it may not reach although they are public; they win over `egress.allow`.',
    default: [],
    example: ['*.internal.example'],
  }),
});
