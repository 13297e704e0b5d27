import { DetentError } from '../../../protocol/error.ts';
import { createRedactor, version, withDatabaseUrl } from '../../../runtime/config.ts';
import { type McpServerView, toolPrefix } from '../../../tools/mcp.ts';
import { createMcpSource, type McpSource } from '../../../tools/mcp-client.ts';
import { whileMaking } from '../../../trust/places.ts';
import type { CliOptions } from '../../settings/load-options.ts';

/**
 * Connects to the configured servers for as long as `work` takes, independently of any runs. Stores no tool definitions.
 *
 * @param name the only server to connect to; null = all
 * @throws DetentError `NOT_FOUND` when there is no such server.
 */
export async function withServers<T>(
  options: CliOptions,
  name: string | null,
  work: (source: McpSource, servers: readonly McpServerView[]) => Promise<T> | T,
): Promise<T> {
  const { redact } = createRedactor(withDatabaseUrl(options, options.env), options.secrets);
  const source = await createMcpSource({
    config: options.mcp ?? {},
    ...(options.mcpFile !== undefined && { file: options.mcpFile }),
    workspace: options.workspace,
    env: options.env,
    version: version(),
    redact,
    writesPins: false,
  });
  return whileMaking(options, async () => {
    try {
      if (name !== null) requireServer(source.servers(), name);
      await source.ready(name === null ? null : [`${toolPrefix(name)}*`]);
      return await work(source, source.servers());
    } finally {
      await source.close();
    }
  });
}

/** @throws DetentError `NOT_FOUND`. */
export function requireServer(servers: readonly McpServerView[], name: string): McpServerView {
  const server = servers.find((known) => known.name === name);
  if (server) return server;
  const names = servers.map((known) => known.name).join(', ');
  throw new DetentError(
    'NOT_FOUND',
    `there is no MCP server "${name}"; ${names === '' ? 'none is configured: add one with "detent mcp add"' : `there are ${names}`}`,
  );
}
