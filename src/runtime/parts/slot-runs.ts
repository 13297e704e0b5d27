import { DetentError } from '../../protocol/error.ts';
import type { SlotRun, SlotRuns } from '../../schedule/job-host.ts';
import { checkNames } from '../config/check-names.ts';
import type { Parts } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { findAgent } from '../config/find-agent.ts';
import type { RunRequest } from '../config/request.ts';

/** The runs of slots: the interface of the schedule to the runtime. The ways to start a run are loaded with the first slot. */
export function openSlotRuns(options: DetentOptions, parts: Parts): SlotRuns {
  return {
    async check(tenant, names) {
      const { skill, workflow, input = null } = names;
      const { skills = null } = checkNames(options, names);
      if (workflow !== undefined) {
        const { checkInput } = await import('../requests/start-workflow.ts');
        await checkInput(parts, workflow, input);
      }
      if (skill !== null) await (await parts.tenants(tenant)).skills.requireForPeople(skill, skills);
    },
    async start(slot) {
      const { definition, bounds, input, prompt, runId, tainted } = slot;
      const { workflow, limits, budget } = definition;
      const keyed = keyedRequest(slot);
      if (workflow !== undefined) {
        const { startWorkflow } = await import('../requests/start-workflow.ts');
        const request = { ...keyed, ...(limits && { limits }), ...(budget !== null && { budget }) };
        await startWorkflow(async () => parts, options, { workflow, input, request, runId });
        return;
      }
      const request = { ...keyed, ...agentRequest(slot) };
      await refuseUnknownSkill(parts, options, request, slot);
      const { startRun } = await import('../requests/start-run.ts');
      await startRun(async () => parts, options, prompt, request, runId, {
        tainted: [...tainted, ...(bounds?.tainted ?? [])],
        follows: bounds?.follows ?? [],
      });
    },
  };
}

function keyedRequest({ tenant, user, runId }: SlotRun): RunRequest {
  return {
    idempotencyKey: runId,
    principal: { tenantId: tenant, ...(user !== null && { userId: user }) },
  };
}

/** What a run of a job with a prompt is asked for besides. */
function agentRequest({ definition, bounds, sessionId }: SlotRun): RunRequest {
  const { agent, model = null } = definition;
  const limits = { ...bounds?.limits, ...definition.limits };
  const budget = definition.budget ?? bounds?.budget ?? null;
  return {
    sessionId,
    ...(agent !== null && { agent }),
    ...(model !== null && { model }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(budget !== null && { budget }),
    ...(bounds?.tools && { tools: bounds.tools }),
    ...(bounds?.skills && { skills: bounds.skills }),
    ...(bounds?.approve && { approve: bounds.approve }),
  };
}

/** A message that names no skill would go to the model as it is. */
async function refuseUnknownSkill(
  { tenants }: Parts,
  options: DetentOptions,
  request: RunRequest,
  { tenant, prompt, definition: { skill } }: SlotRun,
): Promise<void> {
  if (skill === null) return;
  const { skillsOf } = await import('../requests/run-request.ts');
  const { skills: allowed = null } = skillsOf(request, findAgent(request.agent, options.agents));
  const invoked = await (await tenants(tenant)).skills.invoke(prompt, allowed);
  if (invoked?.skill.name === skill) return;
  throw new DetentError(
    'UNKNOWN_SKILL',
    `there is no skill ${JSON.stringify(skill)} that this agent may use; "detent skills list" shows all`,
    { details: { skill } },
  );
}
