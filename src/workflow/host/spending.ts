import { contextOf } from '../../records/stored-run.ts';
import {
  childRunId,
  type FlowContext,
  type FlowLimits,
  flowContextOf,
  isWorkflowRun,
  type OpenService,
  workflowOptionsOf,
} from '../../records/workflow-run.ts';
import { spentBy, sum } from '../../runs/flows/spent-by.ts';
import type { RunRow } from '../../store/rows.ts';
import type { ChartService } from '../facade/chart-services.ts';
import type { WorkflowParts } from './parts.ts';

type Spent = FlowContext['spent'];
type Reading = WorkflowParts['store'];

/**
 * What a service may spend that begins now; null when there is nothing. Those beside it keep what they were granted, and
 * those that begin with it get as much as it: the limits hold, whoever is faster.
 */
export async function shareOf(
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
    const child = await store.query('loadRun', { tenant: run.tenant, id: childRunId(run.id, entry.n) });
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
