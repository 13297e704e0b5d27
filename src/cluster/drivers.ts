import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { Hints } from '../engine/bus.ts';
import type { DriverSigns, Ownership } from '../engine/ownership.ts';
import type { SqliteStore } from '../store/sql/sqlite.ts';
import { socketPathOf } from './driver-files.ts';
import { ProcessOwnership } from './process-ownership.ts';
import type { SocketHints } from './socket-hints.ts';

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
  let listening: Parameters<Hints['listen']> | null = null;
  let loading: Promise<SocketHints> | null = null;
  // A process that only reads needs no sockets.
  const sockets = () => {
    loading ??= import('./socket-hints.ts').then(({ SocketHints }) => {
      const hints = new SocketHints({ findDriver: (epoch) => store.query('findDriver', { epoch }) });
      if (listening) hints.listen(...listening);
      return hints;
    });
    return loading;
  };
  const hints: Hints = {
    send(driver) {
      void sockets().then((loaded) => loaded.send(driver));
    },
    listen(...given) {
      listening = given;
      void loading?.then((loaded) => loaded.listen(...given));
    },
    attend(driver) {
      void sockets().then((loaded) => loaded.attend(driver));
    },
    follow(driver, runId, on) {
      const following = sockets().then((loaded) => loaded.follow(driver, runId, on));
      return () => void following.then((stop) => stop());
    },
  };
  const ownership = new ProcessOwnership({
    file,
    newName,
    register,
    find: (epoch) => store.queryNow('findDriver', { epoch }),
    async listen(name) {
      const token = randomBytes(16).toString('hex');
      const path = socketPathOf(file, name);
      const isOpen = path !== null && (await (await sockets()).open(path, token));
      return { token, address: isOpen ? path : null };
    },
    silence: async () => (await loading)?.close(),
  });
  return { ownership, hints, close: () => ownership.leave() };
}
