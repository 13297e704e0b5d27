import type { EventRow, Scoped } from '../rows.ts';

/** The log of a run. */
export interface EventStatements {
  insertEvent: { in: EventRow & Scoped & { key: string | null }; out: number };
  findEventByKey: { in: { run: number; key: string }; out: { seq: number } | undefined };
  listEvents: { in: { run: number; after: number; limit: number }; out: EventRow[] };
}
