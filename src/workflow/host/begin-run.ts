import type { AnyStateMachine } from 'xstate';
import { principalNow } from '../../call/policy.ts';
import type { Fact } from '../../engine/machine.ts';
import { spentBy, sum } from '../../runs/views.ts';
import type { RunRow } from '../../store/rows.ts';
import {
  contextOf,
  type FlowContext,
  type FlowLimits,
  flowContextOf,
  isWorkflowRun,
  type OpenService,
  subRunId,
  workflowOptionsOf,
} from '../../store/stored-run.ts';
import type { ChartService } from '../facade/chart-services.ts';
import { childEnded } from './child-ended.ts';
import { serviceParams } from './input-of.ts';
import { isMadeAgain } from './made-again.ts';
import { failedFact, serviceError, type WorkflowJob, type WorkflowParts } from './workflow-parts.ts';

/** Maximum depth of nested runs. */
const maxDepth = 8;

/**
 * Begins the run of a service. From then on no process waits for it: the last commit of that run delivers the fact.
 */
export async function beginRun(
  parts: WorkflowParts,
  services: ReadonlyMap<string, ChartService>,
  service: Exclude<ChartService, { kind: 'step' }>,
  job: WorkflowJob,
  names: ReadonlyMap<AnyStateMachine, string>,
): Promise<Fact> {
  const { effectId, run, options, context } = job;
  const { id: name, first, input } = await serviceParams(parts.store, job);
  const runId = subRunId(run.id, effectId);
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
    principal: await principalNow(parts.store, run, options.principal),
    left,
    budget: options.budget,
    tainted: [...(options.tainted ?? []), ...context.tainted],
    byAdmin: options.byAdmin === true,
    again: await isMadeAgain(parts, services, job),
  };
  try {
    if (service.kind === 'workflow') {
      const { chart } = service;
      await parts.startChart({ ...request, chart, workflow: names.get(chart) ?? chart.id });
    } else await parts.start({ ...request, service, name, idempotencyKey: `${run.id}:${first}` });
  } catch (error) {
    // Another process that has lost the run since may have begun it meanwhile with other limits.
    if (!(await parts.store.query('loadRun', { tenant: run.tenant, id: runId })))
      return failedFact(parts, effectId, serviceError(error));
  }
  return { event: { type: 'service.began', effectId }, settleAs: 'linked' };
}

type Spent = FlowContext['spent'];
type Reading = WorkflowParts['store'];

/**
 * The limits of a service that begins now; null when nothing is left. Services at work keep their share, and services
 * that begin together get equal shares, so the limits hold in any order.
 */
async function shareOf(
  store: Reading,
  services: ReadonlyMap<string, ChartService>,
  { run, limits, effectId }: { run: RunRow; limits: FlowLimits; effectId: number },
): Promise<FlowLimits | null> {
  if (limits.tokens === null && limits.costUsd === null) return limits;
  const now = (await store.query('loadRun', { tenant: run.tenant, id: run.id })) ?? run;
  let gone = await spentBy(store, now);
  let sharers = 1;
  for (const entry of flowContextOf(now).open) {
    if (entry.n === effectId || !maySpend(entry, services)) continue;
    const child = await store.query('loadRun', { tenant: run.tenant, id: subRunId(run.id, entry.n) });
    if (child) gone = sum(gone, await heldBy(store, child));
    else sharers++;
  }
  const tokens = limits.tokens === null ? null : Math.floor((limits.tokens - gone.tokens) / sharers);
  const costUsd = limits.costUsd === null ? null : (limits.costUsd - gone.costUsd) / sharers;
  return (tokens ?? 1) <= 0 || (costUsd ?? 1) <= 0 ? null : { tokens, costUsd };
}

/** A question and the call of a tool ask no model. */
function maySpend({ kind, src }: OpenService, services: ReadonlyMap<string, ChartService>): boolean {
  const service = services.get(src)?.kind;
  return kind === 'run' && service !== 'tool' && service !== 'ask';
}

/** What a run that has not ended may spend in all. */
async function heldBy(store: Reading, child: RunRow): Promise<Spent> {
  const spent = await spentBy(store, child);
  if (child.ended) return spent;
  const { tokens, costUsd } = isWorkflowRun(child)
    ? workflowOptionsOf(child).limits
    : contextOf(child).limits;
  return { tokens: Math.max(spent.tokens, tokens ?? 0), costUsd: Math.max(spent.costUsd, costUsd ?? 0) };
}
