import type { Hints } from '../engine/bus.ts';
import type { Clock } from '../engine/clock.ts';
import type { DriverSigns, Ownership } from '../engine/ownership.ts';
import type { Presence } from '../store/store.ts';
import { DriverOwnership } from './driver-ownership.ts';
import { NotifyHints } from './server/notify-hints.ts';
import { ServerSigns } from './server/server-signs.ts';

interface ServerDriversOptions {
  presence: Presence;
  newName(): string;
  /** Writes the row of this driver; resolves with its epoch. */
  register(signs: DriverSigns): Promise<number>;
}

/** This process among those that drive the runs of a server. */
export async function openServerDrivers({ presence, newName, register }: ServerDriversOptions): Promise<{
  ownership: Ownership;
  hints: Hints;
  /** That of the server. */
  clock: Clock;
  /** Call it when the driver's end is written down. */
  close(): Promise<void>;
}> {
  const signs = new ServerSigns(presence);
  const hints = new NotifyHints(presence, signs);
  const ownership = new DriverOwnership({ newName, register, signs });
  const close = async () => {
    signs.stop();
    await hints.close();
    await ownership.leave();
    await presence.close();
  };
  try {
    await signs.read();
    return { ownership, hints, clock: signs.time.clock, close };
  } catch (error) {
    await close();
    throw error;
  }
}
