import * as z from 'zod/mini';
import { defaults } from '../enums.ts';
import { field, group, objectOf } from './field.ts';
import { headers, name, positive, text, texts } from './values.ts';

const auth = z.strictObject({
  clientId: z.optional(text),
  clientSecret: z.optional(text),
  clientMetadataUrl: z.optional(z.url()),
  grant: z.optional(z.enum(['authorization_code', 'client_credentials'])),
  scope: z.optional(text),
});

const serverFields = {
  type: field(z.enum(['stdio', 'http', 'sse']), {
    text: '`http`: streamable HTTP, with a fallback to server-sent events; `sse`: server-sent events only; `stdio`: a command.',
    defaultText: '`stdio` if there is a `command`, else `http`',
  }),
  command: field(text, {
    text: 'The program to start, without a shell.',
    defaultText: 'none; a server has either a `command` or a `url`',
  }),
  args: field(z.array(z.string()), { text: 'Its arguments.', default: [] }),
  env: field(z.record(z.string(), z.string()), {
    text: 'Its environment variables, besides `PATH`, `HOME` and `LANG`. It gets no others, so no keys of models.',
    default: {},
  }),
  cwd: field(text, { text: 'The folder it runs in.', defaultText: 'the workspace' }),
  url: field(z.url(), {
    text: 'The address of a server over HTTP, instead of a command.',
    defaultText: 'none; a server has either a `command` or a `url`',
  }),
  headers: field(headers, { text: 'Sent with every request.', default: {} }),
  auth: field(auth, { text: 'Settings for [OAuth logins](mcp.md#logins).', defaultText: 'none' }),
  trusted: field(z.boolean(), {
    text: 'Whether to trust what the server declares about its tools, see [what a call may do](mcp.md#what-a-call-may-do).',
    default: false,
  }),
  timeoutMs: field(positive, { text: 'Timeout of one tool call.', default: defaults.mcp.timeoutMs }),
  connectTimeoutMs: field(positive, {
    text: 'Timeout for connecting and listing the tools.',
    default: defaults.mcp.connectTimeoutMs,
  }),
};

/** An MCP server: a command to start, or an address. */
export const server = objectOf(serverFields).check(
  z.refine(
    ({ command, url, type }) =>
      (command === undefined) !== (url === undefined) && (type === 'stdio') <= (url === undefined),
    'a server has either a command or a url',
  ),
);

export const mcp = group('MCP servers (Model Context Protocol), which provide tools.', {
  servers: field(z.record(name, server), {
    text: '[MCP servers](mcp.md) by name: a command to start, or an address.',
    default: {},
    example: {
      files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
      wiki: { url: 'https://wiki.example/mcp', headers: { 'x-team': 'shop' } },
    },
    entry: { key: 'NAME', exampleKey: 'files', text: 'The name of a server.', fields: serverFields },
  }),
  project: field(z.boolean(), {
    text: "Whether to use all servers of the workspace's `.mcp.json` too. This [runs the commands in that file](mcp.md#the-file-mcpjson).",
    default: false,
  }),
  allow: field(texts, {
    text: 'Names of the servers in `.mcp.json` that may be used.',
    default: [],
    example: ['mail'],
  }),
});
