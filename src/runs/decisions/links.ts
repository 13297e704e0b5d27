import { parentOf } from '../../engine/commit.ts';
import type { CommitScope } from '../../engine/machine.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import { subRunId } from '../../store/stored-run.ts';
import { ask, type Store } from '../rows/statements.ts';
import { isOrphan } from '../rows/sub-run-rows.ts';
import type { Command } from './mailbox.ts';

/** A cancellation that no caller waits for: it is delivered again until the run has ended. */
const leftCancel: Omit<Extract<Command, { kind: 'cancel' }>, 'kind'> = {
  reason: 'the run that started it no longer waits for it',
  left: true,
};

/**
 * Cancels the linked runs of effects that a run leaves: in its commit each of them that has not ended gets a command. Made
 * for {@link MachineHost.aborting}. A run that is about to begin is refused by its own commit.
 */
export function* cancelChildren(effects: readonly number[], scope: CommitScope): Program<void> {
  const { tenant, id } = scope.row;
  for (const n of effects) {
    const child = yield* ask('loadRun', { tenant, id: subRunId(id, n) });
    if (child?.ended === 0 && parentOf(child)?.runId === id) yield* scope.post(child, 'cancel', leftCancel);
  }
}

/** The runs that effects of a run have begun, and that it waits for in no process. */
export async function linkedRuns(store: Store, { tenant, id, pk, ended }: RunRow): Promise<RunRow[]> {
  const found: RunRow[] = [];
  for (const { n, status } of ended ? [] : await store.query('listOpenEffects', { run: pk })) {
    if (status !== 'started' && status !== 'linked') continue;
    const child = await store.query('loadRun', { tenant, id: subRunId(id, n) });
    if (child?.ended === 0 && parentOf(child)?.runId === id) found.push(child);
  }
  return found;
}

/** The linked runs that their run has left meanwhile. */
export async function orphansOf(store: Store, rows: readonly RunRow[]): Promise<RunRow[]> {
  const orphans: RunRow[] = [];
  for (const row of rows) if (await isOrphan(store, row)) orphans.push(row);
  return orphans;
}
