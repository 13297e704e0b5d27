import { systemClock } from '../../engine/clock.ts';
import { fenceSpan } from '../../engine/engine.ts';
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
  close(): Promise<void>;
}

const ask: Ask<BudgetStatements & CachedAnswerStatements & DriverStatements> = request;

const never = () => false;

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
  return { store, epoch: await newEpoch(store, options), isDrivenElsewhere: never, close };
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
    const opened = await writing(store, options, close);
    // Reservations of earlier drivers: they ended before this one got the lock.
    await store.commit(() => ask('deleteStaleHolds', { fence: opened.epoch * fenceSpan }));
    return opened;
  } catch (error) {
    await close();
    throw error;
  }
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
