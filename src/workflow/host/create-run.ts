import type { Creation } from '../../engine/commit.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { Principal } from '../../protocol/tool.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import {
  type FlowLimits,
  subRunSession,
  type WorkflowRunOptions,
  workflowMachine,
} from '../../store/stored-run.ts';

/** A run of a chart to create. */
interface NewWorkflowRun {
  /** Its name among the workflows of the program. */
  workflow: string;
  /** Of the chart's structure. */
  hash: string;
  runId: string;
  tenant: number;
  /** The user of its session; null for no user in particular. */
  user: string | null;
  principal: Principal;
  /** Who asked for it besides its user. */
  by?: string[] | undefined;
  /** Without known secrets. */
  input: JsonValue;
  limits: FlowLimits;
  budget: string | null;
  byAdmin?: boolean | undefined;
  requestDigest?: string;
  /** For a child: the run and the call that wait for its end. */
  parent?: { runId: string; call: string; depth: number; tainted: readonly StoredTaint[]; again: boolean };
}

/** The session of a workflow's run: each has its own, so none waits for another. */
function workflowSession(runId: string): string {
  return `workflow:${runId}`;
}

/** What the engine creates. Repeatable: a second creation with the same id throws `Exists`. */
export function workflowCreation(asked: NewWorkflowRun): Omit<Creation, 'at' | 'driver'> {
  const {
    workflow,
    hash,
    runId,
    tenant,
    user,
    principal,
    by,
    input,
    limits,
    budget,
    byAdmin,
    requestDigest,
    parent,
  } = asked;
  const options: WorkflowRunOptions = {
    machine: workflowMachine(workflow),
    chart: hash,
    limits,
    budget,
    principal,
    ...(by !== undefined && { by }),
    ...(byAdmin && { byAdmin: true as const }),
    ...(requestDigest !== undefined && { requestDigest }),
    ...(parent && {
      linked: true as const,
      parentRunId: parent.runId,
      parentCall: parent.call,
      depth: parent.depth,
      ...(parent.tainted.length > 0 && { tainted: [...parent.tainted] }),
      // In a fork, everything comes after the approvals of the original, so they do not hold.
      ...(parent.again && { forkedAt: 0 }),
    }),
  };
  return {
    tenant,
    id: runId,
    sessionKey: parent ? subRunSession(runId) : workflowSession(runId),
    user,
    input,
    options,
    isRepeatable: true,
    *writes() {},
  };
}
