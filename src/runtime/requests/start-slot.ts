import { DetentError } from '../../protocol/error.ts';
import type { SlotRun } from '../../schedule/job-host.ts';
import type { Parts } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { findAgent } from '../config/find-agent.ts';
import type { RunRequest } from '../config/request.ts';
import { skillsOf } from './run-request.ts';
import { startRun } from './start-run.ts';

/** Starts the run of a slot whose job has a prompt. @throws DetentError `UNKNOWN_SKILL`, and as any start. */
export async function startSlot(parts: Parts, options: DetentOptions, slot: SlotRun): Promise<void> {
  const { tenant, user, definition, bounds, sessionId, prompt, runId, tainted } = slot;
  const { agent, model = null, skill } = definition;
  const limits = { ...bounds?.limits, ...definition.limits };
  const budget = definition.budget ?? bounds?.budget ?? null;
  const asked: RunRequest = {
    sessionId,
    idempotencyKey: runId,
    principal: { tenantId: tenant, ...(user !== null && { userId: user }) },
    ...(agent !== null && { agent }),
    ...(model !== null && { model }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(budget !== null && { budget }),
    ...(bounds?.tools && { tools: bounds.tools }),
    ...(bounds?.skills && { skills: bounds.skills }),
    ...(bounds?.approve && { approve: bounds.approve }),
  };
  if (skill !== null) await refuseUnknownSkill(parts, options, asked, { tenant, prompt, skill });
  await startRun(async () => parts, options, prompt, asked, runId, {
    tainted: [...tainted, ...(bounds?.tainted ?? [])],
    follows: bounds?.follows ?? [],
  });
}

/** A message that names no skill would go to the model as it is. */
async function refuseUnknownSkill(
  { tenants }: Parts,
  options: DetentOptions,
  request: RunRequest,
  { tenant, prompt, skill }: { tenant: number; prompt: string; skill: string },
): Promise<void> {
  const { skills: allowed = null } = skillsOf(request, findAgent(request.agent, options.agents));
  const invoked = await (await tenants(tenant)).skills.invoke(prompt, allowed);
  if (invoked?.skill.name === skill) return;
  throw new DetentError(
    'UNKNOWN_SKILL',
    `there is no skill ${JSON.stringify(skill)} that this agent may use; "detent skills list" shows all`,
    { details: { skill } },
  );
}
