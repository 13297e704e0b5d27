import { DetentError } from '../../../protocol/error.ts';
import type { McpServerView } from '../../../tools/mcp.ts';
import { duration, type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { type Column, clipped, listed } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { requireServer, withServers } from './servers.ts';

/** `detent mcp list`. */
export async function listServers(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const servers = await withServers(await loadOptions(flags, io), null, (_, servers) => servers);
  if (flags.json) {
    io.json({ servers });
    return exit.ok;
  }
  if (servers.length === 0) io.say('no MCP server is configured; add one with "detent mcp add"');
  io.out(listed(servers, serverColumns, io.stdout));
  for (const server of servers)
    for (const { tool, unavailable } of server.tools)
      if (unavailable) io.out(`\n${server.name} ${tool}: ${unavailable.code}: ${unavailable.reason}\n`);
  return exit.ok;
}

/** `detent mcp test NAME`: ends with 0 when the server can be used. */
export async function testServer(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'the name of a server');
  const server = await withServers(await loadOptions(flags, io), name, (_, servers) =>
    requireServer(servers, name),
  );
  const isUsable = server.status === 'connected';
  if (flags.json) io.json(server);
  else if (isUsable) {
    const { about, tools } = server;
    io.out(`${about?.name} ${about?.version}, protocol ${about?.protocol}, ${countOf(tools)}\n`);
    io.out(listed(tools, toolColumns, io.stdout));
  } else io.say(`detent: MCP server ${name}: ${server.reason}`);
  return isUsable ? exit.ok : exit.failed;
}

/** `detent mcp allow SERVER [TOOL]`: accepts tools that have changed. */
export async function allowTools(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'the name of a server');
  const [, tool] = words;
  const options = await loadOptions(flags, io);
  const accepted = await withServers(options, name, async (source, servers) => {
    const server = requireServer(servers, name);
    const tools = await source.accept(name, tool ?? null);
    if (tools === null)
      throw new DetentError('MCP_UNAVAILABLE', `MCP server "${name}" cannot be used: ${server.reason}`);
    if (tool !== undefined && tools.length === 0)
      throw new DetentError(
        'NOT_FOUND',
        `MCP server "${name}" has no tool "${tool}"; it has ${server.tools.map((known) => known.tool).join(', ')}`,
      );
    return tools;
  });
  if (flags.json) io.json({ server: name, accepted: accepted.map((listed) => listed.name) });
  else
    for (const listed of accepted)
      io.out(`accepted ${name} ${listed.name}: ${clipped(listed.description ?? '')}\n`);
  return exit.ok;
}

/** `detent mcp login NAME`. */
export async function loginServer(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'the name of a server');
  const { env, mcp = {}, mcpFile, workspace } = await loadOptions(flags, io);
  const { listServers } = await import('../../../tools/mcp.ts');
  const { servers, refused } = await listServers(mcp, { workspace, env, file: mcpFile });
  const server = servers.find((known) => known.name === name);
  if (!server) {
    const why = refused.find((known) => known.name === name)?.reason;
    throw new DetentError(
      why ? 'MCP_NOT_ALLOWED' : 'NOT_FOUND',
      `MCP server "${name}": ${why ?? 'there is none of that name'}`,
    );
  }
  const { login } = await import('../../../tools/mcp-client.ts');
  const open = (url: URL) => io.say(`open this in a browser, and log in:\n${url.href}`);
  await login(server, { env, open, timeoutMs: duration(flags, 'timeout') ?? 300_000 });
  io.out(`logged in to ${name}\n`);
  return exit.ok;
}

const serverColumns: readonly Column<McpServerView>[] = [
  { title: 'server', cell: ({ name }) => name, min: 12 },
  { title: 'from', cell: ({ from }) => (from === 'config' ? 'configuration' : '.mcp.json'), rank: 1 },
  { title: 'status', cell: stateOf, min: 20 },
  {
    title: 'address, or what is wrong',
    cell: ({ status, target, reason }) => clipped((status === 'connected' ? target : reason) ?? '', 200),
    min: 16,
  },
];

function stateOf({ status, tools, trusted }: McpServerView): string {
  if (status !== 'connected') return status;
  const usable = tools.filter(({ unavailable }) => unavailable === null).length;
  const count = usable === tools.length ? countOf(tools) : `${usable} of ${countOf(tools)}`;
  return `${status}${trusted ? ', trusted' : ''}, ${count}`;
}

const toolColumns: readonly Column<McpServerView['tools'][number]>[] = [
  { title: 'tool', cell: ({ name }) => name, min: 20 },
  {
    title: 'what it does',
    cell: ({ description, unavailable }) =>
      unavailable ? `off (${unavailable.code})` : clipped(description, 200),
    min: 16,
  },
];

export function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 tool' : `${length} tools`;
}
