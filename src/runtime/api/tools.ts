import type { ToolSpec } from '../../ports/chat-model.ts';
import type { ToolView } from '../../ports/toolbox.ts';
import { defaultTenant } from '../../protocol/tenant.ts';
import type { McpServerView } from '../../tools/mcp/server-list.ts';
import type { Core } from '../core.ts';

/** Reads tools; starts no run. */
export interface DetentTools {
  /** The tools that runs of a tenant (default 1) may use, as a model sees them. Throws `UNKNOWN_TENANT`. */
  list(tenantId?: number): Promise<readonly ToolSpec[]>;
  /** All tools of a tenant with their classes, whether and why they need a confirmation, and which are off. */
  describe(tenantId?: number): Promise<readonly ToolView[]>;
  /** Connects to every configured MCP server, and returns its tools, or why it cannot be used. */
  servers(): Promise<readonly McpServerView[]>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function toolsApi(core: () => Promise<Pick<Core, 'tenants' | 'toolServers'>>): DetentTools {
  const ready = async (tenant: number) => {
    const { toolbox } = await (await core()).tenants(tenant);
    await toolbox.ready(null);
    return toolbox;
  };
  return {
    list: async (tenant = defaultTenant) => (await ready(tenant)).specs(null),
    describe: async (tenant = defaultTenant) => (await ready(tenant)).views(),
    servers: async () => (await core()).toolServers(),
  };
}
