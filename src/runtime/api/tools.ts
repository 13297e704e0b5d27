import type { ToolSpec } from '../../ports/chat-model.ts';
import type { ToolView } from '../../ports/toolbox.ts';
import type { McpServerView } from '../../tools/mcp/source.ts';
import type { Core } from '../core.ts';

/** Looks at tools; nothing of it makes a run. */
export interface DetentTools {
  /** Those that runs may use, as a model sees them. */
  list(): Promise<readonly ToolSpec[]>;
  /** All that there are, with their classes, who asks and why, and which are off. */
  describe(): Promise<readonly ToolView[]>;
  /** Every server of tools (MCP) of the configuration, after it was asked for them: what it has, or why it cannot be used. */
  servers(): Promise<readonly McpServerView[]>;
}

/** @param core opens what is not open yet. */
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
