import { pathOf } from '../engine/decide.ts';
import { contextOf, optionsOf } from '../records/stored-run.ts';
import { subRunId } from '../records/sub-run-id.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from './statements.ts';

/** The states in which a run waits for a person. */
const askingPaths: readonly string[] = ['active.awaitingConfirm', 'active.reconciling'];

/** The sub-runs that the run waits for now. */
export async function openSubRuns(store: Store, row: RunRow): Promise<RunRow[]> {
  if (row.ended) return [];
  const { pending = [] } = contextOf(row);
  const children: RunRow[] = [];
  for (const { id, class: side } of pending) {
    // What starts sub-runs is idempotent, so the others need no look.
    if (side !== 'idempotent') continue;
    const child = await store.query('loadRun', { tenant: row.tenant, id: subRunId(row.id, id) });
    if (child && !child.ended) children.push(child);
  }
  return children;
}

/** The sub-run, at any depth, that waits for a person while the run waits for it. */
export async function askingSubRun(store: Store, row: RunRow): Promise<RunRow | null> {
  for (const child of await openSubRuns(store, row)) {
    if (isAsking(child)) return child;
    const deeper = await askingSubRun(store, child);
    if (deeper) return deeper;
  }
  return null;
}

/**
 * Whether an interrupted run only waits for `resume`: a person decided on it, or sent it a message, when no process drove
 * it. Its next effects are committed and none has begun, but for tasks whose runs wait in the same way.
 */
export async function isDecided(store: Store, row: RunRow): Promise<boolean> {
  // A fork that was never resumed: no person decided on it.
  if (row.fence === 0) return false;
  let waits = false;
  for (const { n, status } of await store.query('listOpenEffects', { run: row.pk })) {
    if (status !== 'pending' && status !== 'started') continue;
    if (status === 'started' && !(await isDecidedTask(store, row, n))) return false;
    waits = true;
  }
  return waits;
}

async function isDecidedTask(store: Store, { tenant, id }: RunRow, call: number): Promise<boolean> {
  const child = await store.query('loadRun', { tenant, id: subRunId(id, call) });
  return child !== undefined && !child.ended && (await isDecided(store, child));
}

export function isAsking({ state, ended }: RunRow): boolean {
  return !ended && askingPaths.includes(pathOf(JSON.parse(state)));
}

/** Whether a sub-run has lost its parent: the parent has ended, or continued without it. */
export async function isOrphan(
  store: Store,
  row: Pick<RunRow, 'tenant' | 'ended' | 'options'>,
): Promise<boolean> {
  // Most runs have no parent. A sweep asks for each of many runs: it need not parse their options.
  if (row.ended || !row.options.includes('"parentRunId"')) return false;
  const { parentRunId, parentCall } = optionsOf(row);
  if (parentRunId === undefined || parentCall === undefined) return false;
  const parent = await store.query('loadRun', { tenant: row.tenant, id: parentRunId });
  if (!parent || parent.ended) return true;
  const effect = await store.query('findEffect', { run: parent.pk, n: Number(parentCall.slice(1)) });
  return effect?.status === 'done' || effect?.status === 'cancelled';
}

/** Options for a copy of a run. No call waits for a copy, and no request approved what it writes to guarded files. */
export function optionsOfCopy(options: string): string {
  if (!/"(parentRunId|approveGiven)"/.test(options)) return options;
  const { parentRunId: _, parentCall: __, depth: ___, approveGiven: ____, ...own } = optionsOf({ options });
  return JSON.stringify(own);
}
