import { realpathSync } from 'node:fs';
import type { Hints } from '../engine/bus.ts';
import type { DriverSigns, Ownership } from '../engine/ownership.ts';
import type { SqliteStore } from '../store/sql/sqlite.ts';
import { DriverSockets } from './driver-sockets.ts';
import { ProcessOwnership } from './process-ownership.ts';

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
