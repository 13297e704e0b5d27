import { DetentError } from '../../protocol/error.ts';
import { boundsOf, jobSession } from '../../records/job-run.ts';
import type { FireRequest } from '../../runs/jobs/job-work.ts';
import type { DetentOptions } from '../config/options.ts';
import type { RunRequest } from '../config/request.ts';
import type { WorkflowRequest } from '../config/workflow-request.ts';
import type { Core } from '../core.ts';
import { checkRequest } from '../requests/run-request.ts';
import { startRun } from '../requests/start-run.ts';

/**
 * Starts the run of a slot. Its own id is its key: two processes that start it make one run.
 *
 * @throws DetentError `UNKNOWN_SKILL`, and as any start.
 */
export async function startFire(
  core: () => Promise<Core>,
  options: DetentOptions,
  request: FireRequest,
): Promise<void> {
  const { tenant, user, jobId, definition, prompt, runId, tainted } = request;
  if (definition.workflow !== undefined) return startWorkflowOf(core, options, request, definition.workflow);
  const { agent, skill } = definition;
  const bounds = boundsOf(definition);
  const limits = { ...bounds?.limits, ...definition.limits };
  const budget = definition.budget ?? bounds?.budget ?? null;
  const asked: RunRequest = {
    session: jobSession(jobId),
    idempotencyKey: runId,
    principal: { tenantId: tenant, ...(user !== null && { userId: user }) },
    ...(agent !== null && { agent }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(budget !== null && { budget }),
    ...(bounds?.tools && { tools: bounds.tools }),
    ...(bounds?.skills && { skills: bounds.skills }),
    ...(bounds?.approve && { approve: bounds.approve }),
  };
  if (skill !== null) await refuseUnknownSkill(await core(), options, asked, { tenant, prompt, skill });
  await startRun(core, options, prompt, asked, runId, {
    tainted: [...tainted, ...(bounds?.tainted ?? [])],
    follows: bounds?.follows ?? [],
  });
}

/** As an agent's run: two processes that start it make one. */
async function startWorkflowOf(
  core: () => Promise<Core>,
  options: DetentOptions,
  { tenant, user, definition: { limits, budget }, input, runId }: FireRequest,
  workflow: string,
): Promise<void> {
  const request: WorkflowRequest = {
    idempotencyKey: runId,
    principal: { tenantId: tenant, ...(user !== null && { userId: user }) },
    ...(limits && { limits }),
    ...(budget !== null && { budget }),
  };
  const { startWorkflow } = await import('./workflow-operations.ts');
  await startWorkflow(core, options, { workflow, input, request, runId });
}

/** A message that names no skill would go to the model as it is. */
async function refuseUnknownSkill(
  { tenants }: Core,
  options: DetentOptions,
  request: RunRequest,
  { tenant, prompt, skill }: { tenant: number; prompt: string; skill: string },
): Promise<void> {
  const allowed = checkRequest(request, options).start.options.skills ?? null;
  const invoked = await (await tenants(tenant)).skills.invoke(prompt, allowed);
  if (invoked?.skill.name === skill) return;
  throw new DetentError(
    'UNKNOWN_SKILL',
    `there is no skill ${JSON.stringify(skill)} that this agent may use; "detent skills list" shows all`,
    { details: { skill } },
  );
}
