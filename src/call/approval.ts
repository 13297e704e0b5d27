import { questionOf } from '../records/question.ts';
import type { RunOptions } from '../records/run-options.ts';
import { optionsOf } from '../records/stored-run.ts';
import type { Program } from '../store/program.ts';
import type { RunRow } from '../store/rows.ts';
import { ask, type Store } from './statements.ts';

/** What a run does with calls that need a person. */
type Approval = Pick<RunOptions, 'approve' | 'approveGiven'>;

/**
 * The current approval of a run: see {@link endApproval}. Read it after the messages that a decision depends on.
 *
 * @param options those that the run had when its driver took it
 */
export async function approvalNow(
  store: Store<'loadRun'>,
  { tenant, id }: Pick<RunRow, 'tenant' | 'id'>,
  { approve, approveGiven }: Approval,
): Promise<Approval> {
  if (!approveGiven) return { approve };
  const row = await store.query('loadRun', { tenant, id });
  const now: Approval = row ? optionsOf(row) : { approve: 'ask' };
  return { approve: now.approve, ...(now.approveGiven && { approveGiven: true }) };
}

/**
 * Withdraws the approval that a run's request gave, in the commit of a message by someone who may not approve. The runs
 * above it lose theirs, too, because their models read the results of that message.
 */
export function* endApproval({ tenant, id }: Pick<RunRow, 'tenant' | 'id'>): Program<void> {
  for (let next: string | undefined = id; next !== undefined; ) {
    const row: RunRow | undefined = yield* ask('loadRun', { tenant, id: next });
    if (!row) return;
    const { approveGiven, ...options } = optionsOf(row);
    if (approveGiven)
      yield* ask('changeRunOptions', {
        pk: row.pk,
        options: JSON.stringify({ ...options, approve: 'ask' } satisfies RunOptions),
      });
    next = options.parentRunId;
  }
}

/** Whether a person decided on a call, or a step, of a fork in the fork itself. */
export async function isDecidedInFork(
  store: Store<'findConfirmation'>,
  run: Pick<RunRow, 'pk'>,
  call: number,
): Promise<boolean> {
  const asked = await store.query('findConfirmation', { run: run.pk, call });
  const decision = asked && questionOf(asked).decision;
  return decision != null && decision.copied === undefined;
}
