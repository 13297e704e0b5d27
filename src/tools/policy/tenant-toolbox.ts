import type { Toolbox, Unavailable } from '../../protocol/ports.ts';
import { offText } from '../../protocol/views.ts';
import { quoted } from '../../text/wording.ts';
import { noWorkspaceCode, withoutWorkspace } from '../files/workspace-path.ts';
import { builtinToolsets } from '../registry/name-patterns.ts';

const { files = [], shell = [] } = builtinToolsets;
const mcpPrefix = 'mcp__';

/** What decides which tools the runs of a tenant have. */
interface TenantReach {
  /** Whether the tenant has a workspace. */
  hasWorkspace: boolean;
  /** Whether commands are confined to the workspace; without a sandbox they reach every file of the machine. */
  isShellConfined: boolean;
}

/**
 * The toolbox for runs of a tenant other than the first: without the tools that would reach files of other tenants. The
 * model is not shown them, and a call that it makes all the same is refused with the reason.
 */
export function tenantToolbox(toolbox: Toolbox, reach: TenantReach): Toolbox {
  const isOffered = (name: string) => whyWithheld(name, reach) === null;
  const offered = (run: readonly string[] | null): string[] =>
    toolbox
      .specs(run)
      .map(({ name }) => name)
      .filter(isOffered);

  return {
    ...toolbox,
    // Only MCP servers list their tools late, and none of them is for other tenants.
    ready: async () => {},
    specs: (run, skills) => toolbox.specs(run, skills).filter(({ name }) => isOffered(name)),
    views: () =>
      toolbox
        .views()
        // The names of the servers are those of the first tenant.
        .filter(({ name }) => !name.startsWith(mcpPrefix))
        .map((view) => {
          const withheld = whyWithheld(view.name, reach);
          return withheld ? { ...view, disabled: `${withheld.code}: ${withheld.reason}` } : view;
        }),
    async plan(name, raw, ctx) {
      const withheld = whyWithheld(name, reach);
      if (withheld)
        return { gate: 'refuse', code: withheld.code, text: unavailableText(name, withheld), why: 'tenant' };
      return toolbox.plan(name, raw, { ...ctx, allowed: offered(ctx.allowed) });
    },
    async run(name, raw, ctx) {
      const withheld = whyWithheld(name, reach);
      return withheld
        ? { isError: true, code: withheld.code, text: unavailableText(name, withheld) }
        : toolbox.run(name, raw, ctx);
    },
    status: async (name, raw, ctx) => (isOffered(name) ? toolbox.status(name, raw, ctx) : null),
  };
}

/** Why the runs of a tenant may not use a tool; null when they may. */
function whyWithheld(name: string, { hasWorkspace, isShellConfined }: TenantReach): Unavailable | null {
  if (name.startsWith(mcpPrefix)) return { code: 'MCP_NOT_SHARED', reason: offText('mcp_not_shared') };
  const isShell = shell.includes(name);
  if (!hasWorkspace && (isShell || files.includes(name)))
    return { code: noWorkspaceCode, reason: withoutWorkspace };
  if (isShell && !isShellConfined)
    return {
      code: 'SANDBOX_UNAVAILABLE',
      reason: offText('no_sandbox_for_tenant'),
    };
  return null;
}

function unavailableText(name: string, { reason }: Unavailable): string {
  return `Tool ${quoted(name, 80)} cannot be used here: ${reason}. Continue without it.`;
}
