import type { EngineOptions } from '../engine/engine.ts';
import type { DriverSigns } from '../engine/ownership.ts';
import type { Presence, Store } from '../store/store.ts';
import { AbandonedRuns } from './abandoned-runs.ts';
import { DriverOwnership } from './driver-ownership.ts';
import { HandedEngine } from './server/handed-engine.ts';
import { HandedRuns } from './server/handed-runs.ts';
import { LeavingEngine } from './server/leaving-engine.ts';
import { NotifyHints } from './server/notify-hints.ts';
import { ServerSigns } from './server/server-signs.ts';
import { Tickets } from './server/tickets.ts';

export { examineTickets, migrateTickets, type TicketTables } from './server/ticket-tables.ts';

interface ServerDriversOptions {
  store: Store;
  presence: Presence;
  /** How many runs a driver of all sessions has at once. */
  slots: number;
  drivesRuns: boolean;
  /** Whether tickets of pg-boss say when to look at the rows, where that can be had. */
  hasTickets: boolean;
  /** Is told why tickets that were asked for cannot be used. */
  report(error: unknown): void;
  newName(): string;
  /** Writes the row of this driver; resolves with its epoch. */
  register(signs: DriverSigns): Promise<number>;
}

/** This process among those that drive the runs of a server, whose clock counts. Close it when the driver's end is written down. */
export async function openServerDrivers({
  store,
  presence,
  slots,
  drivesRuns,
  hasTickets,
  report,
  newName,
  register,
}: ServerDriversOptions) {
  const signs = new ServerSigns(presence);
  const hints = new NotifyHints(presence, signs);
  const ownership = new DriverOwnership({ newName, register, signs });
  let tickets: Tickets | null = null;
  const close = async () => {
    signs.stop();
    await tickets?.close();
    await hints.close();
    await ownership.leave();
    await presence.close();
  };
  try {
    await signs.read();
    const { clock } = signs.time;
    if (hasTickets) tickets = await Tickets.open(store, { isKeeper: drivesRuns, report });
    const some = new AbandonedRuns(store);
    const dispatcher = new HandedRuns({ store, slots, some, call: hints, tickets });
    const openEngine = (options: EngineOptions) =>
      new (drivesRuns ? HandedEngine : LeavingEngine)(options, dispatcher);
    return { ownership, hints, clock, dispatcher, openEngine, close };
  } catch (error) {
    await close();
    throw error;
  }
}
