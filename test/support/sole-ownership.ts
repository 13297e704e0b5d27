import { type DriverSigns, SoleOwnership } from '../../src/engine/ownership.ts';
import type { Store } from '../../src/store/store.ts';
import { ask } from './ask.ts';

/** Drivers of a store one after the other: one that joins later takes the runs of all earlier ones. */
export function soleOwnership(store: Store): SoleOwnership {
  return new SoleOwnership(registerIn(store));
}

/** What writes the row of a driver, whose number it resolves with. */
export function registerIn(store: Store) {
  return async (signs: DriverSigns): Promise<number> => {
    const row = { ...signs, pid: process.pid, at: Date.now() };
    return (await store.commit(() => ask('insertDriver', row))).epoch;
  };
}
