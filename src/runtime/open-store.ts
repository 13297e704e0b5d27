import { join, resolve } from 'node:path';
import { systemClock } from '../engine/clock.ts';
import { fenceSpan } from '../engine/engine.ts';
import { type Ask, request } from '../store/program.ts';
import type { RunRow } from '../store/rows.ts';
import type { BudgetStatements } from '../store/statements/budgets.ts';
import type { CachedAnswerStatements } from '../store/statements/cached-answers.ts';
import type { DriverStatements } from '../store/statements/drivers.ts';
import type { Store } from '../store/store.ts';
import type { DetentOptions } from './config/options.ts';

interface Opened {
  store: Store;
  epoch: number;
  isDrivenElsewhere(row: RunRow): boolean;
  close(): Promise<void>;
}

export async function openStore(options: DetentOptions, workspace: string): Promise<Opened> {
  const nobody = () => false;
  if (options.store === 'in-process') {
    const { createInProcessStore } = await import('../store/in-process/index.ts');
    const store = createInProcessStore();
    return {
      store,
      epoch: await newEpoch(store, options),
      isDrivenElsewhere: nobody,
      close: () => store.close(),
    };
  }
  if (options.store)
    // It is its owner who closes it.
    return {
      store: options.store,
      epoch: await newEpoch(options.store, options),
      isDrivenElsewhere: nobody,
      close: async () => {},
    };
  const { openSqlite } = await import('../store/sql/sqlite.ts');
  const { isDriven, takeDriverLock } = await import('../store/sql/driver-lock.ts');
  const { lastDriverPid } = await import('../store/sql/last-driver.ts');
  const file = databaseFile(options, workspace);
  const sqlite = { ...options.database, file };
  if (options.readonly) {
    const store = await openSqlite({ ...sqlite, readonly: true });
    const last = isDriven(file) ? await store.query('lastDriver', {}) : undefined;
    const isDrivenElsewhere = ({ fence }: RunRow) =>
      last !== undefined && Math.floor(fence / fenceSpan) === last.epoch;
    return { store, epoch: 0, isDrivenElsewhere, close: () => store.close() };
  }
  const lock = await takeDriverLock(file, options.lockWaitMs ?? 5_000, () => lastDriverPid(file));
  try {
    const store = await openSqlite(sqlite);
    const close = async () => {
      await store.close();
      lock.release();
    };
    const epoch = await newEpoch(store, options);
    // Whoever reserved for them was gone before we got the lock.
    await store.commit(() => ask('deleteStaleHolds', { fence: epoch * fenceSpan }));
    return { store, epoch, isDrivenElsewhere: nobody, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Where the database of a workspace is. */
export function databaseFile({ database }: DetentOptions, workspace: string): string {
  const file = database?.file;
  if (file === ':memory:') return file;
  return file === undefined ? join(workspace, '.detent', 'detent.db') : resolve(workspace, file);
}

const ask: Ask<BudgetStatements & CachedAnswerStatements & DriverStatements> = request;

/** Takes the right to write, and clears away the kept answers that are too old for anybody: all, where none are kept. */
async function newEpoch(store: Store, { router, clock = systemClock }: DetentOptions): Promise<number> {
  const before = clock.now() - (router?.cache?.ttlMs ?? 0);
  const { epoch } = await store.commit(function* () {
    yield* ask('deleteAnswersBefore', { before });
    return yield* ask('insertDriver', { pid: process.pid, at: Date.now() });
  });
  return epoch;
}
