import type { SlotRuns } from '../../schedule/job-host.ts';
import { checkNames } from '../config/check-names.ts';
import type { Parts } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';

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
      const { user, tenant, input, runId } = slot;
      const { workflow, limits, budget } = slot.definition;
      if (workflow === undefined) {
        const { startSlot } = await import('../requests/start-slot.ts');
        return startSlot(parts, options, slot);
      }
      const { startWorkflow } = await import('../requests/start-workflow.ts');
      const request = {
        idempotencyKey: runId,
        principal: { tenantId: tenant, ...(user !== null && { userId: user }) },
        ...(limits && { limits }),
        ...(budget !== null && { budget }),
      };
      await startWorkflow(async () => parts, options, { workflow, input, request, runId });
    },
  };
}
