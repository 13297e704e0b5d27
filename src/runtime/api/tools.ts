import type { ToolSpec } from '../../ports/chat-model.ts';
import type { ToolView } from '../../ports/toolbox.ts';
import type { McpServerView } from '../../tools/mcp/server-view.ts';
import type { Core } from '../core.ts';

/** Reads tools; starts no run. */
export interface DetentTools {
  /** The tools that runs may use, as a model sees them. */
  list(): Promise<readonly ToolSpec[]>;
  /** All tools with their classes, whether and why they need a confirmation, and which are off. */
  describe(): Promise<readonly ToolView[]>;
  /** Connects to every configured MCP server, and returns its tools, or why it cannot be used. */
  servers(): Promise<readonly McpServerView[]>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function toolsApi(core: () => Promise<Pick<Core, 'toolbox' | 'toolServers'>>): DetentTools {
  const ready = async () => {
    const { toolbox } = await core();
    await toolbox.ready(null);
    return toolbox;
  };
  return {
    list: async () => (await ready()).specs(null),
    describe: async () => (await ready()).views(),
    servers: async () => (await core()).toolServers(),
  };
}
