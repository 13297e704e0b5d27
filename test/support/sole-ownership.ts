import { SoleOwnership } from '../../src/engine/ownership.ts';
import type { Store } from '../../src/store/store.ts';
import { ask } from './ask.ts';

/** Drivers of a store one after the other: one that joins later takes the runs of all earlier ones. */
export function soleOwnership(store: Store): SoleOwnership {
  return new SoleOwnership(async (signs) => {
    const row = { ...signs, pid: process.pid, at: Date.now() };
    return (await store.commit(() => ask('insertDriver', row))).epoch;
  });
}
