import { takeEffects } from '../../engine/log.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import { subRunId, subRunSession } from '../../store/stored-run.ts';
import { ask } from './statements.ts';

/** Calls may be recorded a little later than the run's `updatedAt`, and the clock may have been set back. */
const marginMs = 86_400_000;
const everyRun = Number.MAX_SAFE_INTEGER;

/**
 * Deletes a run with its messages and tasks. The ledger keeps the cost, without the session's name.
 *
 * @returns the ids of the deleted runs; null, and nothing is deleted, if one of them has not ended
 */
export function* removeRun(row: RunRow): Program<string[] | null> {
  const rows = yield* withTasks(row);
  if (rows.some(({ ended }) => ended === 0)) return null;
  for (const { tenant, id, pk, session, createdAt, updatedAt } of rows) {
    yield* ask('deleteMessagesOfRun', { session, run: pk });
    yield* ask('deleteRun', { run: pk });
    const times = { from: createdAt - marginMs, to: updatedAt + marginMs };
    yield* ask('forgetRunUsage', { tenant, runId: id, ...times });
    if (session !== row.session) yield* ask('deleteSession', { session });
  }
  return rows.map(({ id }) => id);
}

/** A run, and behind it the runs of its tasks and of theirs. */
function* withTasks(row: RunRow): Program<RunRow[]> {
  const rows = [row];
  for (const key of yield* taskSessionsOf(row)) {
    const session = yield* ask('findSession', { tenant: row.tenant, key });
    if (!session) continue;
    for (const task of yield* ask('listRunsOf', { session: session.pk, limit: everyRun }))
      rows.push(...(yield* withTasks(task)));
  }
  return rows;
}

/** The sessions of a run's tasks. */
export function* taskSessionsOf({ tenant, id, pk }: RunRow): Program<string[]> {
  const keys: string[] = [];
  const possible: string[] = [];
  yield* takeEffects(pk, ({ n }) => possible.push(subRunSession(subRunId(id, n))));
  for (const key of possible) {
    if (yield* ask('findSession', { tenant, key })) keys.push(key);
  }
  return keys;
}
