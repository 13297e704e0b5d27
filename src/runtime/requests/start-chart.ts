import { Exists } from '../../engine/commit.ts';
import { chartHash, type WorkflowStart, workflowCreation } from '../../workflow/facade.ts';
import type { FlowParts } from '../config/flow-parts.ts';

/** Starts the run of a chart within a chart. */
export async function startChart(
  { engine }: Pick<FlowParts, 'engine'>,
  {
    chart,
    workflow,
    runId,
    parent,
    parentCall,
    depth,
    principal,
    input,
    left,
    budget,
    tainted,
    byAdmin,
    again,
  }: WorkflowStart,
): Promise<void> {
  const creation = workflowCreation({
    workflow,
    hash: chartHash(chart),
    runId,
    tenant: parent.tenant,
    user: parent.user,
    principal,
    input,
    limits: left,
    budget,
    byAdmin,
    parent: { runId: parent.id, call: parentCall, depth, tainted, again },
  });
  try {
    await engine.create(creation);
  } catch (error) {
    // Another process has begun it.
    if (!(error instanceof Exists)) throw error;
  }
}
