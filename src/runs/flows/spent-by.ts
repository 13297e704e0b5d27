import { readEffects } from '../../engine/log.ts';
import type { RunRow } from '../../store/rows.ts';
import {
  childRunId,
  contextOf,
  type FlowContext,
  flowContextOf,
  isWorkflowRun,
} from '../../store/stored-run.ts';
import type { Store } from '../rows/statements.ts';

type Spent = FlowContext['spent'];

/** The cost of a run and the runs below it, including runs that a chart left before they ended. */
export async function spentBy(store: Pick<Store, 'query'>, run: RunRow): Promise<Spent> {
  if (!isWorkflowRun(run)) {
    const { tokensIn, tokensOut, costUsd } = contextOf(run);
    return { tokens: tokensIn + tokensOut, costUsd };
  }
  let { spent } = flowContextOf(run);
  for await (const { n, name, status } of readEffects(store, run.pk)) {
    if (name !== 'effect.run' || status !== 'cancelled') continue;
    const left = await store.query('loadRun', { tenant: run.tenant, id: childRunId(run.id, n) });
    if (left) spent = sum(spent, await spentBy(store, left));
  }
  return spent;
}

export function sum(one: Spent, other: Spent): Spent {
  return { tokens: one.tokens + other.tokens, costUsd: one.costUsd + other.costUsd };
}
