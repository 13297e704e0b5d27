import type { RunStatus } from '../../protocol/views.ts';
import { noDriver, type RunRow } from '../../store/rows.ts';
import { kindOf } from '../kinds/kind-of.ts';
import type { Store } from './statements.ts';
import { askingSubRun, isDecided } from './sub-run-rows.ts';

/** Whether a live driver drives the run. */
export type IsDriven = (row: RunRow) => boolean;

/** The status of a run by its rows. */
interface Standing {
  status: RunStatus;
  /** The run below it that waits, when it waits for nothing else. */
  waitsFor?: string;
}

/**
 * The status by the run's own row, which does not tell `decided` from `interrupted`. A run that only waits for other
 * runs, and not in a process, is `waiting`.
 */
export function runStatus(row: RunRow, isDriven: IsDriven): RunStatus {
  const kind = kindOf(row);
  if (row.ended) return kind.endedAs(row);
  if (isUnstarted(row)) return 'unstarted';
  if (kind.isQueued(row)) return 'queued';
  if (kind.isAsking(row) || !kind.isAtWork(row)) return 'waiting';
  return isDriven(row) ? 'running' : 'interrupted';
}

/**
 * Whether the run is a fork that no driver has had. Runs have no driver only while they wait for people, so a run with
 * work and without a driver is a fork.
 */
function isUnstarted(row: RunRow): boolean {
  const kind = kindOf(row);
  if (row.driver !== noDriver || kind.isAsking(row)) return false;
  return row.lastDriver === null || kind.isQueued(row) || kind.isAtWork(row);
}

/**
 * The status of a run. A run whose sub-run waits for a person or for a resume has the same status. The status of a
 * workflow without work of its own follows from the runs of its services.
 */
export async function statusAmongRuns(store: Store, row: RunRow, isDriven: IsDriven): Promise<Standing> {
  const kind = kindOf(row);
  const status = runStatus(row, isDriven);
  if (status === 'waiting') {
    const children = kind.isAsking(row) ? [] : kind.childIds(row);
    return children.length > 0 ? statusOfChildren(store, row, children, isDriven) : { status };
  }
  if (status !== 'running' && status !== 'interrupted') return { status };
  const asking = kind.waitsInProcess ? await askingSubRun(store, row) : null;
  if (asking) return { status: 'waiting', waitsFor: asking.id };
  return { status: status === 'interrupted' && (await isDecided(store, row)) ? 'decided' : status };
}

/** The precedence of statuses when a run's status follows from its children. */
const order: readonly RunStatus[] = ['running', 'interrupted', 'unstarted', 'decided', 'waiting'];

async function statusOfChildren(
  store: Store,
  row: RunRow,
  ids: readonly string[],
  isDriven: IsDriven,
): Promise<Standing> {
  const asking = await askingSubRun(store, row);
  if (asking) return { status: 'waiting', waitsFor: asking.id };
  const found: Standing[] = [];
  for (const id of ids) {
    const child = await store.query('loadRun', { tenant: row.tenant, id });
    if (child && !child.ended) found.push(await asChild(store, child, isDriven));
    else found.push({ status: mayGoOn(row, child, isDriven) ? 'running' : 'interrupted' });
  }
  const first = order.flatMap((status) => found.find((one) => one.status === status) ?? [])[0];
  const { status, waitsFor } = first ?? { status: 'waiting' };
  if (status === 'interrupted' && (await isDecided(store, row))) return { status: 'decided' };
  return { status, ...(status === 'waiting' && waitsFor !== undefined && { waitsFor }) };
}

async function asChild(store: Store, child: RunRow, isDriven: IsDriven): Promise<Standing> {
  const { status, waitsFor = child.id } = await statusAmongRuns(store, child, isDriven);
  if (status === 'queued') return { status: isDriven(child) ? 'running' : 'interrupted' };
  return { status, waitsFor };
}

/**
 * Whether a run goes on without a person that waits for a child which has not begun, or has ended: its driver begins the
 * child, or the driver that had the run last tells it of the end.
 */
export function mayGoOn(row: RunRow, child: RunRow | undefined, isDriven: IsDriven): boolean {
  const isAtRest = row.driver === noDriver && child !== undefined;
  return isDriven(isAtRest ? { ...row, driver: row.lastDriver } : row);
}
