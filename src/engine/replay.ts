import { begin, move, pathOf, restore } from './decide.ts';
import { shortHash } from './hash.ts';
import type { MachineHost } from './machine-host.ts';
import type { EventRow, RunRow } from './statements.ts';

/** Where a fold of the log leaves what was stored. */
export interface Divergence {
  seq: number;
  what: 'path' | 'hash' | 'ignored' | 'gap';
  stored: string;
  folded: string;
}

/**
 * Folds a run's log through its machine and compares state and context at every transition. Nothing is executed.
 *
 * @param events the whole log, in order.
 */
export function replay(
  host: MachineHost,
  row: RunRow,
  events: readonly EventRow[],
): { diverged: Divergence | null; folded: number } {
  let { snapshot } = begin(host, JSON.parse(row.input));
  let folded = 0;
  for (const event of events) {
    const { seq } = event;
    const differs = (what: Divergence['what'], stored: string, found: string) => ({
      diverged: { seq, what, stored, folded: found },
      folded,
    });
    if (seq !== folded + 1) return differs('gap', String(seq), String(folded + 1));
    const moved = move(host, snapshot, { type: event.type, at: event.at, ...JSON.parse(event.body) });
    if (!moved) return differs('ignored', event.path, pathOf(snapshot.value));
    snapshot = moved.snapshot;
    const path = pathOf(snapshot.value);
    if (path !== event.path) return differs('path', event.path, path);
    const context = JSON.stringify(snapshot.context);
    if (shortHash(context) !== event.hash) return differs('hash', event.hash, shortHash(context));
    folded++;
    // A stored run is read back from JSON between two transitions; so is a folded one.
    if (!row.ended || folded < events.length)
      snapshot = restore(host, { ...row, state: JSON.stringify(snapshot.value), context });
  }
  return { diverged: null, folded };
}
