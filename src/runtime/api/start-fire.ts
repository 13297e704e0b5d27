import { DetentError } from '../../protocol/error.ts';
import { boundsOf, jobSession } from '../../records/job-run.ts';
import type { FireRequest } from '../../runs/jobs/job-work.ts';
import type { DetentOptions } from '../config/options.ts';
import type { RunRequest } from '../config/request.ts';
import type { Core } from '../core.ts';
import { checkRequest } from '../requests/run-request.ts';
import { startRun } from './start-run.ts';

/**
 * Starts the agent's run of a slot. Its own id is its key: two processes that start it make one run.
 *
 * @throws DetentError `UNKNOWN_SKILL`, and as any start.
 */
export async function startFire(
  core: () => Promise<Core>,
  options: DetentOptions,
  { tenant, user, jobId, definition, prompt, runId, tainted }: FireRequest,
): Promise<void> {
  const { agent, skill } = definition;
  const bounds = boundsOf(definition);
  const limits = { ...bounds?.limits, ...definition.limits };
  const budget = definition.budget ?? bounds?.budget ?? null;
  const request: RunRequest = {
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
  if (skill !== null) await refuseUnknownSkill(await core(), options, request, { tenant, prompt, skill });
  await startRun(core, options, prompt, request, runId, {
    tainted: [...tainted, ...(bounds?.tainted ?? [])],
    follows: bounds?.follows ?? [],
  });
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
