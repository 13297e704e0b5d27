import { type Hints, noHints } from '../../engine/bus.ts';
import { type Clock, systemClock } from '../../engine/clock.ts';
import type { Dispatcher, Engine, EngineOptions } from '../../engine/engine.ts';
import { type DriverSigns, isForeign, type Ownership, SoleOwnership } from '../../engine/ownership.ts';
import { DetentError } from '../../protocol/error.ts';
import { type Ask, request } from '../../store/program.ts';
import type { RunRow, TakeableRun } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';
import { randomId } from '../../text/ids.ts';
import { isPostgresUrl } from '../../text/wording.ts';
import { inMemory } from '../config/database-file.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/** A store, and the driver of this process for it. */
export interface OpenedStore {
  store: Store;
  ownership: Ownership;
  hints: Hints;
  dispatcher: Dispatcher;
  /** The engine of a process among others on a server; undefined for that of any other. */
  openEngine?: (options: EngineOptions) => Engine;
  /** By which everything is decided: that of the options, of the server, or of this machine. */
  clock: Clock;
  /** Whether another live process drives the run, without asking it. */
  isDrivenElsewhere(row: Pick<RunRow, 'driver'>): boolean;
  /** Where a run was last driven, if the database was moved or copied since; null otherwise. */
  movedFrom(row: Pick<RunRow, 'lastDriver'>): MovedFrom | null;
  /** Why this driver must not move a run forward; null when it may. */
  whyRefused(row: TakeableRun): DetentError | null;
  close(): Promise<void>;
}

/** The place of a database when a run was last driven, and its place now: real paths. */
interface MovedFrom {
  there: string;
  here: string;
}

const ask: Ask<StatementsOf<'cachedAnswers' | 'drivers'>> = request;

const mayMove = () => null;
const unmoved = { movedFrom: () => null, whyRefused: mayMove };
/** Most runs wait for their models most of the time. */
const defaultSlots = 200;

/**
 * Opens the store of a configuration. Any number of processes may open one database; this one becomes a driver when it first
 * makes or resumes a run.
 *
 * @param database a file, or the address of a server; null for a store of the program, or in memory
 * @throws DetentError as the store does
 */
export async function openStore(options: DetentOptions, database: string | null): Promise<OpenedStore> {
  // The program that passed a store closes it.
  if (typeof options.store === 'object') return ofServer(options.store, options, async () => {});
  if (database === null || database === inMemory) {
    const { openInMemory } = await import('../../store/sqlite.ts');
    const store = openInMemory(options.database);
    return sole(store, options, () => store.close());
  }
  return isPostgresUrl(database) ? openServer(options, database) : openFile(options, database);
}

/** PostgreSQL is loaded only here. */
async function openServer(options: DetentOptions, url: string): Promise<OpenedStore> {
  const { openPostgres } = await import('../../store/postgres.ts');
  const { readonly = false, onError } = options;
  const store = await openPostgres({
    url,
    readonly,
    ...(onError && { onWait: (error) => onError(error, '') }),
  });
  try {
    return await ofServer(store, options, () => store.close());
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A store that this process may share with others; where it cannot, this process has it to itself. */
async function ofServer(
  store: Store,
  options: DetentOptions,
  closeStore: () => Promise<void>,
): Promise<OpenedStore> {
  const presence = store.openPresence?.();
  if (!presence) return sole(store, options, closeStore);
  const { openServerDrivers } = await import('../../cluster/server-drivers.ts');
  const joined = { ...options };
  const drivers = await openServerDrivers({
    store,
    presence,
    slots: options.slots ?? defaultSlots,
    drivesRuns: options.drivesRuns ?? true,
    hasTickets: options.dispatcher === 'pg-boss' && options.readonly !== true,
    report: (error) => options.onError?.(error, ''),
    ...joining(store, joined),
  });
  // It joins later than this.
  joined.clock ??= drivers.clock;
  return { ...among(store, { ...drivers, clock: joined.clock }, closeStore), ...unmoved };
}

/** A store that this process has to itself. */
async function sole(store: Store, options: DetentOptions, close: () => Promise<void>): Promise<OpenedStore> {
  const { AbandonedRuns } = await import('../../cluster/abandoned-runs.ts');
  const { clock = systemClock } = options;
  const ownership = new SoleOwnership((signs) => register(store, options, signs));
  return {
    store,
    ownership,
    hints: noHints,
    dispatcher: new AbandonedRuns(store),
    clock,
    isDrivenElsewhere: () => false,
    ...unmoved,
    close,
  };
}

async function openFile(options: DetentOptions, file: string): Promise<OpenedStore> {
  const { openSqlite } = await import('../../store/sqlite.ts');
  const { readonly = false } = options;
  const { openDrivers } = await import('../../cluster/process-ownership.ts');
  const store = await openSqlite({
    ...options.database,
    file,
    readonly,
    migrationCheck: async () => {
      const { refuseDriven } = await import('../../cluster/living-drivers.ts');
      return () => refuseDriven(file, 'is of an older version');
    },
  });
  try {
    const { clock = systemClock } = options;
    const drivers = openDrivers({ file, store, ...joining(store, options) });
    const { notePlace, placeOf } = await import('../../store/sqlite.ts');
    const noted = readonly ? null : notePlace(file, options.movedDatabase === 'adopt');
    const movedFrom = ({ lastDriver }: Pick<RunRow, 'lastDriver'>) => {
      const { here, of } = noted ?? placeOf(file);
      const there = of(lastDriver ?? 0);
      return there === here ? null : { there, here };
    };
    const whyRefused = readonly ? mayMove : (row: TakeableRun) => refusalOf(row, movedFrom(row));
    return { ...among(store, { ...drivers, clock }, () => store.close()), movedFrom, whyRefused };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** How this process becomes a driver. */
const joining = (store: Store, options: DetentOptions) => ({
  newName: () => randomId('drv'),
  register: (signs: DriverSigns) => register(store, options, signs),
});

/** A store with its drivers, this process among them. */
function among(
  store: Store,
  {
    close,
    ...drivers
  }: Pick<OpenedStore, 'ownership' | 'hints' | 'dispatcher' | 'openEngine' | 'clock' | 'close'>,
  closeStore: () => Promise<void>,
): Omit<OpenedStore, 'movedFrom' | 'whyRefused'> {
  const { ownership } = drivers;
  return {
    store,
    ...drivers,
    isDrivenElsewhere: ({ driver }) => isForeign(driver, ownership.me) && ownership.seemsAlive(driver),
    async close() {
      try {
        await close();
      } finally {
        await closeStore();
      }
    },
  };
}

/**
 * Refuses runs of a database that was moved or copied since they were driven: the runs may still be driven at the other
 * place, and approvals of people there count only there.
 */
function refusalOf({ id }: TakeableRun, moved: MovedFrom | null): DetentError | null {
  if (moved === null) return null;
  const { there: from, here: to } = moved;
  return new DetentError(
    'DATABASE_MOVED',
    `run ${id} was driven in ${from}, and this is ${to}: the database was moved or copied. Approvals from there do not count here. To take over all its runs here: detent runs resume ${id} --here`,
    { details: { runId: id, from, to } },
  );
}

/** Registers this driver. Deletes cached answers that are too old, or all if the cache is off. */
async function register(
  store: Store,
  { router, clock = systemClock }: DetentOptions,
  signs: DriverSigns,
): Promise<number> {
  const before = clock.now() - (router?.cache?.ttlMs ?? 0);
  const { epoch } = await store.commit(function* () {
    yield* ask('deleteAnswersBefore', { before });
    return yield* ask('insertDriver', { ...signs, pid: process.pid, at: clock.now() });
  });
  return epoch;
}
