import type { McpServerView } from '../../../tools/mcp.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import { countOf } from '../mcp/mcp-command.ts';
import { withServers } from '../mcp/servers.ts';
import { type Check, ok, type Subject, warn } from './check.ts';

/**
 * Checks that each MCP server answers and that its tools have not changed. Findings are warnings, since runs work
 * without a server.
 *
 * @param isOffline whether to start and call no server
 */
export async function checkServers(options: CliOptions, isOffline: boolean): Promise<Check[]> {
  if (isOffline) return [ok(['mcp', 'MCP'], 'not checked, because of --offline')];
  return withServers(options, null, (_, servers) => servers.map(describeServer));
}

function describeServer({ name, status, reason, tools }: McpServerView): Check {
  const subject: Subject = [`mcp.${name}`, `MCP server ${name}`];
  if (status === 'refused')
    return warn(subject, reason ?? '', 'see docs/mcp.md, or take it out of .mcp.json');
  if (status !== 'connected')
    return warn(
      subject,
      reason ?? 'it does not answer',
      `correct it, then test it with: detent mcp test ${name}`,
    );
  const changed = tools
    .filter(({ unavailable }) => unavailable?.code === 'TOOL_CHANGED')
    .map(({ tool }) => tool);
  const count = countOf(tools);
  if (changed.length === 0) return ok(subject, count);
  return warn(
    subject,
    `${count}; changed since their first use: ${changed.join(', ')}`,
    `review them with: detent mcp test ${name}, then accept them with: detent mcp allow ${name}`,
  );
}
