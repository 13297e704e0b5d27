import type { EventRow, PageLimit, Scoped } from '../rows.ts';

/** The log of a run. */
export interface EventStatements {
  insertEvent: { in: EventRow & Scoped & { key: string | null }; out: number };
  /** Copies the log of a run up to a transition. Idempotency keys belong to commands to the original: the copy has none. */
  copyEvents: { in: { from: number; run: number; upTo: number } & Scoped; out: number };
  findEventByKey: { in: { run: number; key: string }; out: { seq: number } | undefined };
  /** Times and paths of single transitions. `places`: JSON, a list of pairs of a run's `pk` and a seq. By run and seq. */
  listPaths: { in: { places: string }; out: Pick<EventRow, 'run' | 'seq' | 'at' | 'path'>[] };
  /** Transitions, oldest first. `src/engine/read-log.ts` reads a log of unknown length, page after page. */
  listEvents: { in: { run: number; after: number; limit: number } & PageLimit; out: EventRow[] };
  /** The first transition of a run, and its migrations: where a fold of the log can begin. */
  listFoldStarts: { in: { run: number }; out: EventRow[] };
}
