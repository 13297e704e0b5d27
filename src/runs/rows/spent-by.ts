import { readEffects } from '../../engine/log.ts';
import type { RunRow } from '../../store/rows.ts';
import {
  contextOf,
  type FlowContext,
  flowContextOf,
  isWorkflowRun,
  subRunId,
} from '../../store/stored-run.ts';
import type { Store } from './statements.ts';
import { openSubRuns } from './sub-run-rows.ts';

type Spent = FlowContext['spent'];

/** The cost of a run and the runs below it that have ended, including runs that a chart left before they ended. */
export async function spentBy(store: Pick<Store, 'query'>, run: RunRow): Promise<Spent> {
  if (!isWorkflowRun(run)) {
    const { tokensIn, tokensOut, costUsd } = contextOf(run);
    return { tokens: tokensIn + tokensOut, costUsd };
  }
  let { spent } = flowContextOf(run);
  for await (const { n, name, status } of readEffects(store, run.pk)) {
    if (name !== 'effect.run' || status !== 'cancelled') continue;
    const left = await store.query('loadRun', { tenant: run.tenant, id: subRunId(run.id, n) });
    if (left) spent = sum(spent, await spentBy(store, left));
  }
  return spent;
}

export function sum(one: Spent, other: Spent): Spent {
  return { tokens: one.tokens + other.tokens, costUsd: one.costUsd + other.costUsd };
}

/** What people are shown of a workflow: with the runs that are still at work, and null for a cost that nobody knows. */
export async function shownSpent(
  store: Store,
  row: RunRow,
): Promise<{ tokens: number; costUsd: number | null }> {
  const { tokens, costUsd } = await spentSoFar(store, row);
  return { tokens, costUsd: await shownCost(store, row, { tokens, costUsd }) };
}

async function spentSoFar(store: Store, row: RunRow): Promise<Spent> {
  let spent = await spentBy(store, row);
  if (!isWorkflowRun(row)) return spent;
  for (const child of await openSubRuns(store, row)) spent = sum(spent, await spentSoFar(store, child));
  return spent;
}

/** Contexts add costs up, and have 0 for an unknown one: only the ledger tells that from one that was free. */
export async function shownCost(
  store: Pick<Store, 'query'>,
  { tenant, id, createdAt }: RunRow,
  { tokens, costUsd }: Spent,
): Promise<number | null> {
  if (tokens === 0 || costUsd > 0) return costUsd;
  const priced = await store.query('findPricedCall', { tenant, runId: id, below: `${id}.`, from: createdAt });
  return priced ? costUsd : null;
}
