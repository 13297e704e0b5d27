import { DetentError } from '../../protocol/error.ts';
import { isWorkflow, unknownWorkflow } from '../../workflow/workflow.ts';
import type { Core } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/** A program without workflows loads nothing of them. */
const none: Core['workflows'] = {
  declared: [],
  find(id) {
    throw unknownWorkflow(id, []);
  },
  hosts: () => [],
};

/**
 * Loads the workflows of a program, and checks those that it declares.
 *
 * @throws DetentError `INVALID_WORKFLOW` for one that cannot run durably, for two of one id, and for a chart alone.
 */
export async function openWorkflows({
  workflows = [],
  loadWorkflows,
}: DetentOptions): Promise<Core['workflows']> {
  const declared = loadWorkflows ? await loadWorkflows() : workflows;
  if (declared.length === 0) return none;
  const other = declared.findIndex((one) => !isWorkflow(one));
  if (other >= 0)
    throw new DetentError(
      'INVALID_WORKFLOW',
      `workflows.${other} was not made by workflow() of detent/workflow; pass a chart as workflow(chart)`,
    );
  if (!loadWorkflows) {
    const { refuseFaulty } = await import('../../workflow/check.ts');
    for (const workflow of declared) refuseFaulty(workflow);
  }
  const { Workflows } = await import('../../workflow/registry.ts');
  return new Workflows(declared);
}
