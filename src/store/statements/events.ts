import type { EventRow, Scoped } from '../rows.ts';

/** The log of a run. */
export interface EventStatements {
  insertEvent: { in: EventRow & Scoped & { key: string | null }; out: number };
  findEventByKey: { in: { run: number; key: string }; out: { seq: number } | undefined };
  /** Times and paths of single transitions. `places`: JSON, a list of pairs of a run's `pk` and a seq. By run and seq. */
  listPaths: { in: { places: string }; out: Pick<EventRow, 'run' | 'seq' | 'at' | 'path'>[] };
  listEvents: { in: { run: number; after: number; limit: number }; out: EventRow[] };
}
