import type { AnyStateMachine } from 'xstate';
import type { Fact } from '../../engine/machine-host.ts';
import { childRunId } from '../../records/workflow-run.ts';
import type { ChartService } from '../facade/chart-services.ts';
import { childEnded } from './child-ended.ts';
import { serviceParams } from './input-of.ts';
import { isMadeAgain } from './made-again.ts';
import { failedFact, serviceError, type WorkflowJob, type WorkflowParts } from './parts.ts';
import { shareOf } from './spending.ts';

/** How many runs may be above one another. */
const maxDepth = 8;

/**
 * Begins the run of a service. From then on this run waits for it in no process: the last commit of that run brings the
 * fact.
 */
export async function beginRun(
  parts: WorkflowParts,
  services: ReadonlyMap<string, ChartService>,
  service: Exclude<ChartService, { kind: 'step' }>,
  job: WorkflowJob,
  nameOf: (chart: AnyStateMachine) => string,
): Promise<Fact> {
  const { effectId, run, options, context } = job;
  const { id: name, first, input } = await serviceParams(parts.store, job);
  const runId = childRunId(run.id, effectId);
  const begun = await parts.store.query('loadRun', { tenant: run.tenant, id: runId });
  if (begun?.ended)
    return childEnded(parts, services, {
      run,
      effect: { n: effectId, params: JSON.stringify(job.params) },
      child: begun,
    });
  if (begun) return { event: { type: 'service.began', effectId }, settleAs: 'linked' };
  const left = await shareOf(parts.store, services, { run, limits: options.limits, effectId });
  if (!left)
    return failedFact(parts, effectId, {
      code: 'BUDGET_EXHAUSTED',
      message: `the workflow has nothing left to spend on "${name}"`,
    });
  const depth = (options.depth ?? 0) + 1;
  if (depth > maxDepth)
    return failedFact(parts, effectId, {
      code: 'TOO_DEEP',
      message: `"${name}" would be the ${depth}th run above one another; ${maxDepth} is the maximum`,
      retryable: false,
    });
  const request = {
    input,
    runId,
    parent: run,
    parentCall: `c${effectId}`,
    depth,
    principal: options.principal,
    left,
    budget: options.budget,
    tainted: [...(options.tainted ?? []), ...context.tainted],
    byAdmin: options.byAdmin === true,
    again: await isMadeAgain(parts, services, job),
  };
  try {
    if (service.kind === 'workflow')
      await parts.startChart({ ...request, chart: service.chart, workflow: nameOf(service.chart) });
    else await parts.start({ ...request, service, name, idempotencyKey: `${run.id}:${first}` });
  } catch (error) {
    // Another process, which has the run no more, may have begun it meanwhile with other limits.
    if (!(await parts.store.query('loadRun', { tenant: run.tenant, id: runId })))
      return failedFact(parts, effectId, serviceError(error));
  }
  return { event: { type: 'service.began', effectId }, settleAs: 'linked' };
}
