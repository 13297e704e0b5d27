import type { McpSource } from '../../tools/mcp/source.ts';
import type { DetentOptions } from '../config/options.ts';
import { version } from '../version.ts';

/**
 * The configured servers of tools; null, and nothing of it loaded, where none is configured. No server is started or
 * connected to before a run or a person asks for its tools.
 */
export async function openMcp(
  { mcp, readonly, env = process.env }: DetentOptions,
  workspace: string,
  redact: (text: string) => string,
): Promise<McpSource | null> {
  if (!mcp) return null;
  const { createMcpSource } = await import('../../tools/mcp/source.ts');
  return createMcpSource({
    config: mcp,
    workspace,
    env,
    version: version(),
    redact,
    writesPins: !readonly,
  });
}
