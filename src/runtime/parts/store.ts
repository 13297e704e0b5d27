import { systemClock } from '../../engine/clock.ts';
import { fenceSpan } from '../../engine/fence-span.ts';
import { DetentError } from '../../protocol/error.ts';
import { type Ask, request } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import type { BudgetStatements } from '../../store/statements/budgets.ts';
import type { CachedAnswerStatements } from '../../store/statements/cached-answers.ts';
import type { DriverStatements } from '../../store/statements/drivers.ts';
import type { Store } from '../../store/store.ts';
import type { DetentOptions } from '../config/options.ts';

/** A store with its driver lock. */
export interface OpenedStore {
  store: Store;
  /** Epoch of this driver; 0 for a reader. */
  epoch: number;
  isDrivenElsewhere(row: RunRow): boolean;
  /** Why this driver must not move a run forward; null when it may. */
  whyRefused(row: RunRow): DetentError | null;
  close(): Promise<void>;
}

const ask: Ask<BudgetStatements & CachedAnswerStatements & DriverStatements> = request;

const never = () => false;
const mayMove = () => null;

/**
 * Opens the store of a configuration and takes its driver lock.
 *
 * @param file the database; null for a store that Detent does not open from a file
 * @throws DetentError as the store and its lock do
 */
export async function openStore(options: DetentOptions, file: string | null): Promise<OpenedStore> {
  // The program that passed a store closes it.
  if (typeof options.store === 'object') return writing(options.store, options, async () => {});
  if (file === null) {
    const { createInProcessStore } = await import('../../store/in-process/index.ts');
    const store = createInProcessStore();
    return writing(store, options, () => store.close());
  }
  return options.readonly ? openReader(options, file) : openWriter(options, file);
}

async function writing(
  store: Store,
  options: DetentOptions,
  close: () => Promise<void>,
): Promise<OpenedStore> {
  return {
    store,
    epoch: await newEpoch(store, options),
    isDrivenElsewhere: never,
    whyRefused: mayMove,
    close,
  };
}

async function openReader({ database }: DetentOptions, file: string): Promise<OpenedStore> {
  const { openSqlite } = await import('../../store/sql/sqlite.ts');
  const { isDriven } = await import('../../store/sql/driver-lock.ts');
  const store = await openSqlite({ ...database, file, readonly: true });
  try {
    const last = isDriven(file) ? await store.query('lastDriver', {}) : undefined;
    return {
      store,
      epoch: 0,
      whyRefused: mayMove,
      isDrivenElsewhere: ({ fence }) => last !== undefined && Math.floor(fence / fenceSpan) === last.epoch,
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openWriter(options: DetentOptions, file: string): Promise<OpenedStore> {
  const { openSqlite } = await import('../../store/sql/sqlite.ts');
  const { takeDriverLock } = await import('../../store/sql/driver-lock.ts');
  const { lastDriverPid } = await import('../../store/sql/last-driver.ts');
  const lock = await takeDriverLock(file, options.lockWaitMs ?? 5_000, () => lastDriverPid(file));
  let store: Store | undefined;
  const close = async () => {
    try {
      await store?.close();
    } finally {
      lock.release();
    }
  };
  try {
    store = await openSqlite({ ...options.database, file });
    const whyRefused = file === ':memory:' ? mayMove : await refuseMoved(file, options);
    const opened = { ...(await writing(store, options, close)), whyRefused };
    // Reservations of earlier drivers: they ended before this one got the lock.
    await store.commit(() => ask('deleteStaleHolds', { fence: opened.epoch * fenceSpan }));
    return opened;
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * A run of a database that was moved or copied belongs to the place where it was driven last: what it does may be done
 * there, too, and what people approved there counts there only.
 */
async function refuseMoved(
  file: string,
  { movedDatabase = 'refuse' }: DetentOptions,
): Promise<OpenedStore['whyRefused']> {
  const { notePlace } = await import('../../store/sql/place.ts');
  const place = notePlace(file, movedDatabase === 'adopt');
  return ({ id, fence }) => {
    const there = place.of(Math.floor(fence / fenceSpan));
    if (there === place.here) return null;
    return new DetentError(
      'DATABASE_MOVED',
      `run ${id} was driven in ${there}, and this is ${place.here}: the database was moved or copied. What people approved there does not count here. To take all its runs over here: detent runs resume ${id} --here`,
      { details: { runId: id, from: there, to: place.here } },
    );
  };
}

/** Registers this driver. Deletes cached answers that are too old, or all if the cache is off. */
async function newEpoch(store: Store, { router, clock = systemClock }: DetentOptions): Promise<number> {
  const before = clock.now() - (router?.cache?.ttlMs ?? 0);
  const { epoch } = await store.commit(function* () {
    yield* ask('deleteAnswersBefore', { before });
    return yield* ask('insertDriver', { pid: process.pid, at: Date.now() });
  });
  return epoch;
}
