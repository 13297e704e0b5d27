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
  /**
   * `inFeed`: 1 puts the transition behind all others in the feed of its tenant, if that has begun. What is imported or copied has no
   * place there.
   */
  insertEvent: { in: EventRow & Scoped & { key: string | null; inFeed: 0 | 1 }; out: number };
  /** Copies the log of a run up to a transition. Idempotency keys belong to commands to the original: the copy has none. */
  copyEvents: { in: { from: number; run: number; upTo: number } & Scoped; out: number };
  /**
   * The newest position of a tenant; undefined before its feed has begun. Positions are in the order of commits. With one writer at a time that is the next
   * number; a store with several must see to it that numbers become visible in their order, or a reader that saw a later one never
   * sees an earlier one. Those of deleted runs are not given again.
   */
  feedHead: { in: Scoped; out: { pos: number } | undefined };
  /** From now on transitions get places: those of a tenant whose feed nobody has asked for would cost each step a page more. */
  beginFeed: { in: Scoped; out: number };
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
