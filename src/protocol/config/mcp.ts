import * as z from 'zod/mini';
import { field, group, objectOf } from './field.ts';
import { headers, name, positive, text, texts } from './values.ts';

const auth = z.strictObject({
  clientId: z.optional(text),
  clientSecret: z.optional(text),
  clientMetadataUrl: z.optional(z.url()),
  grant: z.optional(z.enum(['authorization_code', 'client_credentials'])),
  scope: z.optional(text),
});

export const serverFields = {
  type: field(z.enum(['stdio', 'http', 'sse']), {
    text: '`http`: streamable HTTP, or server-sent events where a server knows only those; `sse`: those at once; `stdio`: a command.',
    defaultText: '`stdio` with a command, else `http`',
  }),
  command: field(text, {
    text: 'The program; it is started without a shell.',
    defaultText: 'none: there is a `url`',
  }),
  args: field(z.array(z.string()), { text: 'Its arguments.', default: [] }),
  env: field(z.record(z.string(), z.string()), {
    text: 'Its variables, besides `PATH`, `HOME` and `LANG`. It gets no others: the keys of models stay here.',
    default: {},
  }),
  cwd: field(text, { text: 'The folder it runs in.', defaultText: 'the workspace' }),
  url: field(z.url(), {
    text: 'The address, instead of a command.',
    defaultText: 'none: there is a `command`',
  }),
  headers: field(headers, { text: 'Sent with every request.', default: {} }),
  auth: field(auth, { text: 'For [logins](mcp.md#logins).', defaultText: 'none' }),
  trusted: field(z.boolean(), {
    text: 'Believe what it says of its tools, see [what a call may do](mcp.md#what-a-call-may-do).',
    default: false,
  }),
  timeoutMs: field(positive, { text: 'For one call.', default: 120_000 }),
  connectTimeoutMs: field(positive, { text: 'To connect and to list the tools.', default: 15_000 }),
};

/** A server of tools: a command that is started, or an address. */
export const server = objectOf(serverFields).check(
  z.refine(
    ({ command, url, type }) =>
      (command === undefined) !== (url === undefined) && (type === 'stdio') <= (url === undefined),
    'a server has either a command or a url',
  ),
);

export const mcp = group('Servers of tools (Model Context Protocol).', {
  servers: field(z.record(name, server), {
    text: '[Servers of tools](mcp.md) by name: a command that is started, or an address.',
    default: {},
    example: {
      files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
      wiki: { url: 'https://wiki.example/mcp', headers: { 'x-team': 'shop' } },
    },
    entry: { key: 'NAME', exampleKey: 'files', text: 'The name of a server.', fields: serverFields },
  }),
  project: field(z.boolean(), {
    text: "Use all servers of the workspace's `.mcp.json`, too, which [runs what it names](mcp.md#the-file-mcpjson).",
    default: false,
  }),
  allow: field(texts, {
    text: 'The servers of `.mcp.json` that are used.',
    default: [],
    example: ['mail'],
  }),
});
