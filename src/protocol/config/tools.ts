import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { count, name, texts, withMethod } from './values.ts';

export const tools = group('Tools that the model can call.', {
  define: field(z.array(withMethod('run', 'a tool made with defineTool')), {
    text: 'Your own tools, made with `defineTool`, in addition to the built-in ones.',
    default: [],
    code: '[weather]',
    isLive: true,
  }),
  sets: field(z.record(name, texts), {
    text: 'Named [lists of tools](#sets-of-tools). Every list of tools can use `@name` for such a list.',
    default: {},
    example: { look: ['read_file', 'list_files'] },
  }),
  allowed: field(texts, {
    text: 'The only tools that runs may use. A run can shorten the list, not extend it.',
    defaultText: 'all',
    example: ['read_file', 'calculator', 'datetime'],
  }),
  disabled: field(texts, {
    text: 'Tools that no run may use, even if another field allows them.',
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
      text: "By tool name, `maxConcurrent` and `retries`, instead of [the tool's own](tools.md#limits-of-a-tool).",
      default: {},
      example: { http_get: { maxConcurrent: 4, retries: 2 } },
    },
  ),
});

export const sandbox = field(z.enum(['auto', 'bubblewrap', 'none']), {
  text: 'Where shell commands run. `auto` or `bubblewrap`: in a sandbox; `none`: directly on this machine. See [sandbox](sandbox.md).',
  default: 'auto',
});

/** Host names, addresses and networks. `http_get` checks their form. */
export const egress = group('Which hosts http_get may reach.', {
  allow: field(texts, {
    text: 'Private hosts, addresses and networks that [`http_get`](tools.md#http_get) may reach.',
    default: [],
    example: ['wiki.corp.example', '10.1.0.0/16'],
  }),
  deny: field(texts, {
    text: 'Hosts, addresses and networks that `http_get` may not reach, even if they are public or in `egress.allow`.',
    default: [],
    example: ['*.internal.example'],
  }),
});

export const webhooks = group('What the webhooks of scheduled jobs may reach and use.', {
  allowHosts: field(texts, {
    text: 'Private hosts, addresses and networks that webhooks may reach.',
    default: [],
    example: ['hooks.corp.example', '10.1.0.0/16'],
  }),
  secretEnv: field(z.record(z.string(), texts), {
    text: 'By [tenant](tenants.md): the variables that its administrators may use as `secretEnv` of their webhooks. The first tenant may use any.',
    default: {},
    example: { acme: ['ACME_HOOK_SECRET'] },
  }),
});
