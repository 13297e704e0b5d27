import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { Hints } from '../engine/bus.ts';
import type { DriverSigns } from '../engine/ownership.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import type { DriverRow } from '../store/rows.ts';
import { type FileLock, isLocked, type SqliteStore, takeFileLock } from '../store/sqlite.ts';
import { makePrivateFile } from '../text/files.ts';
import { AbandonedRuns } from './abandoned-runs.ts';
import {
  driversFolder,
  lockFileOf,
  makeDriversFolder,
  removeDriverFiles,
  removeLeftLocks,
  socketPathOf,
} from './driver-files.ts';
import { DriverOwnership, type Signs } from './driver-ownership.ts';
import type { SocketHints } from './socket-hints.ts';

/**
 * The signs of the drivers of a SQLite file, each in a process of its own.
 *
 * A driver holds an exclusive lock on a file of its own while it lives, and listens on a socket. It is dead when its lock
 * is free and its socket refuses: either sign alone means that it lives, and no clock decides.
 */
class FileSigns implements Signs {
  readonly #file: string;
  readonly #store: SqliteStore;
  readonly #sockets: DriverSockets;
  #shown: Pick<DriverSigns, 'name' | 'address'> | null = null;
  #lock: FileLock | null = null;

  /** @param file the real path of the database */
  constructor(file: string, store: SqliteStore, sockets: DriverSockets) {
    this.#file = file;
    this.#store = store;
    this.#sockets = sockets;
  }

  async show(name: string): Promise<Pick<DriverSigns, 'address' | 'token'>> {
    this.#lock = takeNewLock(this.#file, name);
    const { address, token } = await this.#sockets.open(name);
    this.#shown = { name, address };
    return { address, token };
  }

  async withdraw(): Promise<void> {
    await this.#sockets.close();
    this.#lock?.release();
    this.#lock = null;
    if (this.#shown) removeDriverFiles(this.#file, this.#shown);
    this.#shown = null;
  }

  async areGone({ name, address }: DriverRow): Promise<boolean> {
    const isHeld = name !== '' && isLocked(lockFileOf(this.#file, name));
    return !isHeld && (address === null || !(await answers(address)));
  }

  clear(driver: DriverRow): void {
    removeDriverFiles(this.#file, driver);
  }

  seemAlive(epoch: number): boolean {
    const row = this.#store.queryNow('findDriver', { epoch });
    return row?.endedAt === null && row.name !== '' && isLocked(lockFileOf(this.#file, row.name));
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

/** This process among those that drive the runs of a SQLite file. Close it when the driver's end is written down. */
export function openDrivers({ file: named, store, newName, register }: DriversOptions) {
  const file = realpathSync.native(named);
  const hints = new DriverSockets(file, store);
  const ownership = new DriverOwnership({ newName, register, signs: new FileSigns(file, store, hints) });
  return { ownership, hints, dispatcher: new AbandonedRuns(store), close: () => ownership.leave() };
}

/** The sockets of a driver, loaded when one is needed: a process that only reads needs none. */
class DriverSockets implements Hints {
  readonly #file: string;
  readonly #store: SqliteStore;
  #listening: Parameters<Hints['listen']> | null = null;
  #loading: Promise<SocketHints> | null = null;

  /** @param file the real path of the database */
  constructor(file: string, store: SqliteStore) {
    this.#file = file;
    this.#store = store;
  }

  #loaded(): Promise<SocketHints> {
    this.#loading ??= import('./socket-hints.ts').then(({ SocketHints }) => {
      const hints = new SocketHints(this.#store);
      if (this.#listening) hints.listen(...this.#listening);
      return hints;
    });
    return this.#loading;
  }

  send(driver: number): void {
    void this.#loaded().then((loaded) => loaded.send(driver));
  }

  listen(...given: Parameters<Hints['listen']>): void {
    this.#listening = given;
    void this.#loading?.then((loaded) => loaded.listen(...given));
  }

  attend(driver: number): void {
    void this.#loaded().then((loaded) => loaded.attend(driver));
  }

  follow(...given: Parameters<Hints['follow']>): () => void {
    const following = this.#loaded().then((loaded) => loaded.follow(...given));
    return () => void following.then((stop) => stop());
  }

  /** Begins to listen as the driver of that name: where, and what hints must carry. */
  async open(name: string): Promise<Pick<DriverSigns, 'address' | 'token'>> {
    const token = randomBytes(16).toString('hex');
    const path = socketPathOf(this.#file, name);
    const isOpen = path !== null && (await (await this.#loaded()).open(path, token));
    return { token, address: isOpen ? path : null };
  }

  async close(): Promise<void> {
    await (await this.#loading)?.close();
  }
}
