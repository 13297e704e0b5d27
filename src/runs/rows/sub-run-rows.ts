import type { RunRow } from '../../store/rows.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { isOpenEffect } from '../../store/stored-call.ts';
import { optionsOf, subRunId } from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import type { Store } from './statements.ts';

/** The sub-runs that the run waits for now. */
export async function openSubRuns(store: Store, row: RunRow): Promise<RunRow[]> {
  const children: RunRow[] = [];
  for (const id of kindOf(row).childIds(row)) {
    const child = await store.query('loadRun', { tenant: row.tenant, id });
    if (child && !child.ended) children.push(child);
  }
  return children;
}

/** The sub-runs that it waits for, at any depth, each before its own. */
export async function* runsBelow(store: Store, row: RunRow): AsyncGenerator<RunRow> {
  const children = await openSubRuns(store, row);
  for (const child of children) {
    yield child;
    yield* runsBelow(store, child);
  }
}

/** The sub-run, at any depth, that waits for a person while the run waits for it. */
export async function askingSubRun(store: Store, row: RunRow): Promise<RunRow | null> {
  for await (const child of runsBelow(store, row)) if (kindOf(child).isAsking(child)) return child;
  return null;
}

/**
 * Whether an interrupted run only waits for `resume`: a person decided on it, or sent it a message, when no process drove
 * it. Its next effects are committed and none has begun, but for tasks whose runs wait in the same way.
 */
export async function isDecided(store: Store, row: RunRow): Promise<boolean> {
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
  return effect !== undefined && !isOpenEffect(effect);
}

/** The run that began this one, and the call that waits for it. */
export function parentOf({ parentRunId, parentCall }: Pick<RunOptions, 'parentRunId' | 'parentCall'>): {
  parentRunId?: string;
  parentCall?: string;
} {
  return parentRunId === undefined || parentCall === undefined ? {} : { parentRunId, parentCall };
}

/**
 * Options for a copy of a run. No call waits for a copy, no request approved what it writes to guarded files, and what it
 * calls again is another call, with a key of its own.
 */
export function optionsOfCopy(options: string): string {
  if (!/"(parentRunId|approveGiven|call)"/.test(options)) return options;
  const {
    parentRunId: _,
    parentCall: __,
    depth: ___,
    approveGiven: ____,
    linked: _____,
    ...own
  } = optionsOf({ options });
  if (!own.call) return JSON.stringify(own);
  const { idempotencyKey: ______, ...call } = own.call;
  return JSON.stringify({ ...own, call });
}
