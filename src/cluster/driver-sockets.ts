import { randomBytes } from 'node:crypto';
import type { Hints } from '../engine/bus.ts';
import type { DriverSigns } from '../engine/ownership.ts';
import type { SqliteStore } from '../store/sqlite.ts';
import { socketPathOf } from './driver-files.ts';
import type { SocketHints } from './socket-hints.ts';

/** The sockets of a driver, loaded when one is needed: a process that only reads needs none. */
export class DriverSockets implements Hints {
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
