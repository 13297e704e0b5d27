import { realpathSync } from 'node:fs';
import type { Hints } from '../engine/bus.ts';
import type { DriverSigns, Ownership } from '../engine/ownership.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import type { DriverRow } from '../store/rows.ts';
import { type FileLock, isLocked, type SqliteStore, takeFileLock } from '../store/sqlite.ts';
import { makePrivateFile } from '../text/files.ts';
import {
  driversFolder,
  lockFileOf,
  makeDriversFolder,
  removeDriverFiles,
  removeLeftLocks,
} from './driver-files.ts';
import { DriverSockets } from './driver-sockets.ts';

interface ProcessOwnershipOptions {
  /** The real path of the database. */
  file: string;
  /** A name that no driver had before. */
  newName(): string;
  /** Registers a driver in the database; resolves with its epoch. */
  register(signs: DriverSigns): Promise<number>;
  store: SqliteStore;
  sockets: DriverSockets;
}

/**
 * The drivers of a SQLite file, each in a process of its own.
 *
 * A driver holds an exclusive lock on a file of its own while it lives, and listens on a socket. It is dead when its lock
 * is free and its socket refuses: either sign alone means that it lives, and no clock decides.
 */
export class ProcessOwnership implements Ownership {
  readonly #options: ProcessOwnershipOptions;
  #joining: Promise<number> | null = null;
  #signs: DriverSigns | null = null;
  #lock: FileLock | null = null;
  #me: number | null = null;
  #leaving: Promise<void> = Promise.resolve();

  constructor(options: ProcessOwnershipOptions) {
    this.#options = options;
  }

  get me(): number | null {
    return this.#me;
  }

  /** @throws DetentError as the store does; `DATABASE_UNUSABLE` when no lock can be taken beside the database. */
  join(): Promise<number> {
    this.#joining ??= this.#join().catch(async (error) => {
      await this.#leave();
      throw error;
    });
    return this.#joining;
  }

  async #join(): Promise<number> {
    const { file, newName, sockets, register } = this.#options;
    const name = newName();
    // Others may look for it as soon as its row is there.
    this.#lock = takeNewLock(file, name);
    const signs = { name, ...(await sockets.open(name)) };
    this.#signs = signs;
    this.#me = await register(signs);
    return this.#me;
  }

  async renew(was: number): Promise<number> {
    // Of several that ask at once one joins anew, and all others get its epoch.
    if (this.#me === was) await this.leave();
    else await this.#leaving;
    return this.join();
  }

  async isDead(driver: DriverRow): Promise<boolean> {
    const { name, address, epoch } = driver;
    if (epoch === this.#me) return false;
    const isHeld = name !== '' && isLocked(lockFileOf(this.#options.file, name));
    return !isHeld && (address === null || !(await answers(address)));
  }

  clear(driver: DriverRow): void {
    removeDriverFiles(this.#options.file, driver);
  }

  seemsAlive(epoch: number): boolean {
    if (epoch === this.#me) return true;
    const { file, store } = this.#options;
    const row = store.queryNow('findDriver', { epoch });
    return row?.endedAt === null && row.name !== '' && isLocked(lockFileOf(file, row.name));
  }

  /** Gives up the lock and the socket. Call it when the database says that this driver ended. */
  leave(): Promise<void> {
    this.#me = null;
    this.#leaving = this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    const { file, sockets } = this.#options;
    this.#joining = null;
    await sockets.close();
    this.#lock?.release();
    this.#lock = null;
    if (this.#signs) removeDriverFiles(file, this.#signs);
    this.#signs = null;
  }
}

/** @throws DetentError `DATABASE_UNUSABLE`. */
function takeNewLock(file: string, name: string): FileLock {
  const path = lockFileOf(file, name);
  try {
    makeDriversFolder(file);
    removeLeftLocks(file);
    makePrivateFile(path);
    const lock = takeFileLock(path);
    if (lock) return lock;
    throw new Error('another process has it');
  } catch (error) {
    const folder = driversFolder(file);
    throw new DetentError(
      'DATABASE_UNUSABLE',
      `this process cannot drive runs of ${file}, because it cannot take a lock in ${folder} (${messageOf(error)}): make that a folder that you can write`,
      { details: { file, folder }, cause: error },
    );
  }
}

/** Whether a process listens on a socket. What cannot be found out counts as yes. */
async function answers(address: string): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

interface DriversOptions {
  file: string;
  store: SqliteStore;
  newName(): string;
  /** Writes the row of this driver; resolves with its epoch. */
  register(signs: DriverSigns): Promise<number>;
}

/** This process among those that drive the runs of a SQLite file. */
export function openDrivers({ file: named, store, newName, register }: DriversOptions): {
  ownership: Ownership;
  hints: Hints;
  /** Call it when the driver's end is written down. */
  close(): Promise<void>;
} {
  const file = realpathSync.native(named);
  const hints = new DriverSockets(file, store);
  const ownership = new ProcessOwnership({ file, newName, register, store, sockets: hints });
  return { ownership, hints, close: () => ownership.leave() };
}
