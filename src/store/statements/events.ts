import type { EventRow, PageLimit, Scoped } from '../rows.ts';

/** A transition in the feed of its tenant, and the run. */
export interface FeedRow extends Pick<EventRow, 'seq' | 'type' | 'at' | 'path'> {
  pos: number;
  runId: string;
  sessionKey: string;
  machine: string;
  /** 1 if the run has ended with it. */
  ended: 0 | 1;
}

/** The log of a run. */
export interface EventStatements {
  insertEvent: { in: EventRow & Scoped & { key: string | null }; out: number };
  /** Copies the log of a run up to a transition. Idempotency keys belong to commands to the original: the copy has none. */
  copyEvents: { in: { from: number; run: number; upTo: number } & Scoped; out: number };
  /**
   * The newest position of a tenant. The store itself puts each transition behind all others of its tenant, when its run moves on:
   * positions are without gaps, in the order of commits. With one writer at a time that is the next number; a store with several
   * must see to it that numbers become visible in their order, or a reader that saw a later one never sees an earlier one. A deleted
   * run keeps its positions, so that none is given twice.
   */
  feedHead: { in: Scoped; out: { pos: number } | undefined };
  /** Behind `after` up to `upTo`, without jobs; a null user gets those of the whole tenant. */
  listFeed: { in: Scoped & { user: string | null; after: number; upTo: number }; out: FeedRow[] };
  findEventByKey: { in: { run: number; key: string }; out: { seq: number } | undefined };
  /** Times and paths of single transitions. `places`: JSON, a list of pairs of a run's `pk` and a seq. By run and seq. */
  listPaths: { in: { places: string }; out: Pick<EventRow, 'run' | 'seq' | 'at' | 'path'>[] };
  /** Who sent the run a message, once each. */
  listMessengers: { in: { run: number }; out: { by: string }[] };
  /** Transitions, oldest first. `src/engine/read-log.ts` reads a log of unknown length, page after page. */
  listEvents: { in: { run: number; after: number; limit: number } & PageLimit; out: EventRow[] };
  /** The first transition of a run, and its migrations: where a fold of the log can begin. */
  listFoldStarts: { in: { run: number }; out: EventRow[] };
}
