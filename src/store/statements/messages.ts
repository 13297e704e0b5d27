import type { MessageRow, Scoped } from '../rows.ts';

/** The conversation of a session, summaries included. */
export interface MessageStatements {
  insertMessage: { in: MessageRow & Scoped; out: number };
  /** In the order of writing, from a place in the session on. */
  listMessages: { in: { session: number; run: number; seq: number }; out: MessageRow[] };
  listMessagesOfRun: { in: { session: number; run: number }; out: MessageRow[] };
  /** Newest first, those of a session before a run. */
  listMessagesBefore: { in: { session: number; run: number; limit: number }; out: MessageRow[] };
  lastSummary: { in: { session: number }; out: MessageRow | undefined };
  /** In the order of writing. */
  listSummaries: { in: { session: number }; out: MessageRow[] };
}
