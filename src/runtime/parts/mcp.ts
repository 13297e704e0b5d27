import type { McpSource } from '../../tools/mcp-client.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { version } from '../config/version.ts';

/**
 * The configured MCP servers; null if none is configured, and then the MCP code is not loaded. Connects to a server
 * when a run or a command first needs its tools.
 */
export async function openMcp(
  { mcp, mcpFile, readonly, env = process.env }: DetentOptions,
  workspace: string,
  redact: (text: string) => string,
): Promise<McpSource | null> {
  if (!mcp) return null;
  const { createMcpSource } = await import('../../tools/mcp-client.ts');
  return createMcpSource({
    config: mcp,
    ...(mcpFile !== undefined && { file: mcpFile }),
    workspace,
    env,
    version: version(),
    redact,
    writesPins: !readonly,
  });
}
