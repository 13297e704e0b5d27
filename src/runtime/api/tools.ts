import { defaultTenant } from '../../protocol/access.ts';
import type { ToolSpec, ToolView } from '../../protocol/ports.ts';
import { offReasonOf, reasonOf } from '../../protocol/views.ts';
import type { McpServerView } from '../../tools/mcp.ts';
import type { Core } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { ToolCallRequest } from '../config/request.ts';
import { runIdOf } from '../requests/keyed-run.ts';
import type { RunHandle, RunHandles } from './run-handle.ts';

/** Reads tools, and calls them without a model. */
export interface DetentTools {
  /**
   * Makes one call of a tool, without a model: durably, as a run of its own, under the policy, people, hooks and recovery of an
   * agent's call. `call` of its `result` has what came of it, also when policy refused the call or the tool failed; while a person
   * must decide, `pending` has that, and `runs.confirm` decides.
   *
   * `started` rejects with `UNKNOWN_AGENT`, `INVALID_REQUEST`, `INVALID_SESSION`, `IDEMPOTENCY_CONFLICT`.
   *
   * @param input the arguments of the tool
   *
   * @example
   * ```ts
   * const { call } = await detent.tools.call('read_file', { path: 'README.md' }).result;
   * if (call?.isError === false) show(call.result ?? '');
   * ```
   */
  call(tool: string, input?: object, request?: ToolCallRequest): RunHandle;
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
export function toolsApi(
  core: () => Promise<Core>,
  options: DetentOptions,
  handles: Pick<RunHandles, 'handle'>,
): DetentTools {
  const ready = async (tenant: number) => {
    const { toolbox } = await (await core()).tenants(tenant);
    await toolbox.ready(null);
    return toolbox;
  };
  return {
    call(tool, input = {}, request = {}) {
      const runId = runIdOf(request);
      const started = import('../requests/start-call.ts').then(({ startToolCall }) =>
        startToolCall(core, options, { tool, input, request, runId }),
      );
      return handles.handle(request.principal?.tenantId ?? defaultTenant, runId, started);
    },
    list: async (tenant = defaultTenant) => (await ready(tenant)).specs(null),
    describe: async (tenant = defaultTenant) => (await ready(tenant)).views().map(withReason),
    servers: async () => (await core()).toolServers(),
  };
}

function withReason(view: ToolView): ToolView {
  const { disabled } = view;
  const disabledReason = disabled === null ? null : (reasonOf(disabled) ?? offReasonOf(disabled));
  return disabledReason ? { ...view, disabledReason } : view;
}
