import { refuseUnknownFields } from '../../protocol/json.ts';
import type { StartRun } from '../../runs/runs.ts';
import type { CallOptions } from '../../store/run-options.ts';
import type { Parts } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { FlowParts } from '../config/flow-parts.ts';
import type { ToolCallRequest } from '../config/request.ts';
import { canonical, requestDigest } from './request-digest.ts';
import { startRequest } from './run-request.ts';
import { refuseNewOwnKey } from './start-run.ts';

const requestFields: readonly string[] = [
  'sessionId',
  'agent',
  'approve',
  'limits',
  'idempotencyKey',
  'principal',
  'by',
] satisfies (keyof ToolCallRequest)[];

interface Start {
  tool: string;
  input: object;
  request: ToolCallRequest;
  runId: string;
}

/** Starts the run of a call that a program asks for. Returns its id. @throws DetentError as `DetentTools.call` says. */
export async function startToolCall(
  parts: () => Promise<Parts>,
  config: DetentOptions,
  { tool, input, request, runId }: Start,
): Promise<string> {
  refuseUnknownFields(request, requestFields, 'a call', 'INVALID_REQUEST');
  const resolved = startRequest('call', request, config, runId);
  const { agent, tools, approveGiven } = resolved.options;
  const isKeyed = request.idempotencyKey !== undefined;
  const opened = await parts();
  await refuseNewOwnKey(opened, resolved);
  return startCall(
    opened,
    { ...resolved, runId, allowed: tools },
    {
      ...(agent !== undefined && { agent }),
      ...(approveGiven && { approveGiven }),
      ...(isKeyed && { requestDigest: requestDigest(canonical(['call', tool, input]), request) }),
      call: { name: tool, arguments: JSON.stringify(input) },
    },
  );
}

/**
 * Starts the run of one call.
 *
 * @param start a request that was resolved as that of an agent's run
 * @param own what the call has besides
 */
export async function startCall(
  { runs, tenants, declareBudget }: Pick<FlowParts, 'runs' | 'tenants' | 'declareBudget'>,
  start: Pick<StartRun, 'tenant' | 'sessionId' | 'limits' | 'options'> & {
    runId: string;
    allowed?: readonly string[] | null;
  },
  own: Pick<CallOptions, 'call'> & Partial<CallOptions>,
): Promise<string> {
  const { runId, tenant, sessionId, limits, allowed } = start;
  const { approve, principal, byAdmin, budget, by } = start.options;
  const { workspace } = await tenants(tenant);
  if (budget) await declareBudget(tenant, budget, principal.userId);
  await runs.startCall({
    runId,
    tenant,
    sessionId,
    limits,
    ...(allowed !== undefined && { allowed }),
    options: {
      approve,
      principal,
      ...(byAdmin && { byAdmin }),
      ...(budget && { budget }),
      ...(by && { by }),
      ...own,
      workspace: workspace ?? '',
    },
  });
  return runId;
}
