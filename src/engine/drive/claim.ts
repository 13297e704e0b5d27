import type { AnyMachineSnapshot } from 'xstate';
import type { Program } from '../../store/program.ts';
import { noDriver, type RunRow } from '../../store/rows.ts';
import {
  type CommitOptions,
  type Delivery,
  deliver,
  Fenced,
  type HotRun,
  isAtRest,
  type Receipt,
} from '../commit/commit.ts';
import { fenced, LeftFor } from '../commit/errors.ts';
import { ask, type Store, tell } from '../commit/statements.ts';
import type { MachineHost } from '../machine/machine-host.ts';
import type { Neighbours } from '../ownership.ts';

/**
 * Gives a run to a driver. Null if the run has ended.
 *
 * @throws DetentError `FENCED` when another driver claimed it first.
 */
export async function claim(store: Store, row: RunRow, me: number): Promise<RunRow | null> {
  const claimed = await store.commit(() => ask('claimRun', { pk: row.pk, seen: row.fence, me }));
  if (claimed > 0) return claimedBy(row, me);
  const now = await store.query('loadRun', { tenant: row.tenant, id: row.id });
  if (now?.ended === 0) throw fenced(row.id);
  return null;
}

/** The row of a run that a driver has just claimed. */
function claimedBy(row: RunRow, me: number): RunRow {
  return { ...row, driver: me, lastDriver: me, fence: row.fence + 1 };
}

/**
 * Has the driver watch the timers of a run that waits for people, and that an earlier driver left. The run stays nobody's.
 *
 * @returns false when another driver claimed it first.
 */
export function* watchOver({ pk, fence }: Pick<RunRow, 'pk' | 'fence'>, me: number): Program<boolean> {
  if ((yield* ask('claimRun', { pk, seen: fence, me })) === 0) return false;
  yield* tell('passRun', { pk, driver: noDriver });
  return true;
}

/** Moves a run that was at rest, as its driver. It stays nobody's if the event does not move it. @throws Fenced */
export function* deliverFromRest(
  hot: HotRun,
  me: number,
  delivery: Delivery,
  options: CommitOptions,
): Program<Receipt> {
  const { pk, fence } = hot.row;
  if ((yield* ask('claimRun', { pk, seen: fence, me })) === 0) throw new Fenced();
  const receipt = yield* deliver({ ...hot, row: claimedBy(hot.row, me) }, delivery, options);
  if (receipt.kind !== 'moved') yield* tell('passRun', { pk, driver: noDriver });
  return receipt;
}

/** The run has another driver, which may be dead. */
export class Foreign extends LeftFor {}

/**
 * Whether a run waits for people alone, so that no driver needs to have it. If its last driver ended, this one watches its
 * timers from now on.
 *
 * @throws Fenced when another driver claimed it first.
 */
export async function leaveAtRest(
  { store, neighbours }: { store: Store; neighbours: Neighbours },
  { row, host, snapshot }: { row: RunRow; host: MachineHost; snapshot: AnyMachineSnapshot },
  me: number,
): Promise<boolean> {
  if (row.driver !== noDriver) return false;
  const isAlive = await neighbours.areDriving({ driver: row.lastDriver });
  return store.commit(function* () {
    if (!(yield* isAtRest(host, snapshot, row.pk))) return false;
    if (row.lastDriver !== me && !isAlive && !(yield* watchOver(row, me))) throw new Fenced();
    return true;
  });
}
