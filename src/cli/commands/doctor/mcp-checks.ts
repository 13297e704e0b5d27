import type { McpServerView } from '../../../tools/mcp/source.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import { countOf } from '../mcp/mcp-command.ts';
import { withServers } from '../mcp/servers.ts';
import { type Check, ok, type Subject, warn } from './check.ts';

/**
 * Checks the servers of tools, one by one: whether each answers, and whether its tools are what they were. A server
 * that does not answer fails no run.
 *
 * @param isOffline starts and asks none of them
 */
export async function checkServers(options: CliOptions, isOffline: boolean): Promise<Check[]> {
  if (isOffline) return [ok(['mcp', 'MCP'], 'not asked, because of --offline')];
  return withServers(options, null, (_, servers) => servers.map(describeServer));
}

export function describeServer({ name, status, reason, tools }: McpServerView): Check {
  const subject: Subject = [`mcp.${name}`, `MCP server ${name}`];
  if (status === 'refused')
    return warn(subject, reason ?? '', 'see docs/mcp.md, or take it out of .mcp.json');
  if (status !== 'connected')
    return warn(subject, reason ?? 'it does not answer', `correct it, and try "detent mcp test ${name}"`);
  const changed = tools
    .filter(({ unavailable }) => unavailable?.code === 'TOOL_CHANGED')
    .map(({ tool }) => tool);
  const count = countOf(tools);
  if (changed.length === 0) return ok(subject, count);
  return warn(
    subject,
    `${count}; changed since they were first used: ${changed.join(', ')}`,
    `look at them with "detent mcp test ${name}", then "detent mcp allow ${name}"`,
  );
}
