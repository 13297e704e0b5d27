import { noDriver, type TakeableRun } from '../../store/rows.ts';
import type { Store } from '../commit/statements.ts';
import type { MachineHosts } from '../machine/machine-hosts.ts';
import { isForeign } from '../ownership.ts';
import type { Scope } from './driven-sessions.ts';
import type { Driver } from './driver.ts';
import { whyLeft } from './fit.ts';

/** Unfinished runs that are read at a time. */
const page = 200;

/** Is called with a run, and with why this program must not move it; null when it may. `left`: the run is left as it is. */
export type EachRun = (row: TakeableRun, refused: Error | null) => Promise<undefined | 'left'>;

/**
 * Takes over the unfinished runs in the scope, but for those that other processes drive. Where it is all sessions, runs
 * that wait for people are watched over together, and forks that no driver has had are left. Reports runs that cannot be taken.
 *
 * @param each is called with every run that no other process drives, before it is taken
 */
export async function takeOver(driver: Driver, scope: Scope, each: EachRun): Promise<void> {
  const { store, hosts } = driver.options;
  const living = new Set((await driver.neighbours.alive()).map(({ epoch }) => epoch));
  driver.sessions.add(scope);
  const taking: TakeableRun[] = [];
  const atRest: Pick<TakeableRun, 'pk' | 'fence'>[] = [];
  for await (const row of unfinished(store, scope)) {
    if (driver.isStopped) break;
    if (isForeign(row.driver, driver.me)) continue;
    if (scope === 'all' && row.driver === noDriver && row.lastDriver === null) continue;
    const refused = whyLeft(driver.options, row);
    const answer = await each(row, refused);
    if (refused || answer === 'left') continue;
    if (scope !== 'all' || !isLeftAtRest(hosts, row)) taking.push(row);
    else if (row.lastDriver !== driver.me && !living.has(row.lastDriver ?? 0))
      atRest.push({ pk: row.pk, fence: row.fence });
    if (taking.length >= page) await driver.takeAll(taking.splice(0));
    if (atRest.length >= page) await driver.watchOver(atRest.splice(0));
  }
  await driver.takeAll(taking);
  await driver.watchOver(atRest);
}

/** The unfinished runs in the scope, some at a time: many may wait for people. */
export async function* unfinished(store: Store, scope: Scope): AsyncGenerator<TakeableRun> {
  if (scope !== 'all') return yield* await store.query('listActiveRunsOf', scope);
  let after = { session: 0, ordinal: 0 };
  for (;;) {
    const rows = await store.query('listActiveRunsAfter', { ...after, limit: page });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < page) return;
    after = { session: last.session, ordinal: last.ordinal };
  }
}

/** Whether a run waits for people alone, and this program can restore it: it needs no more than to be watched. */
function isLeftAtRest(hosts: MachineHosts, row: TakeableRun): boolean {
  if (row.driver !== noDriver) return false;
  try {
    const { host, steps } = hosts.migrationPathOf(row);
    host.checkTakeover?.(row);
    return steps.length === 0;
  } catch {
    // The take-over says what is wrong.
    return false;
  }
}
