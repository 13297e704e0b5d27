import type { MessageRow, PageLimit, Scoped } from '../rows.ts';

/** The conversation of a session, summaries included. */
export interface MessageStatements {
  insertMessage: { in: MessageRow & Scoped; out: number };
  /** Messages from a place in the session on, oldest first. */
  listMessages: { in: { session: number; run: number; seq: number }; out: MessageRow[] };
  /** A page of a run's messages: those behind a place, up to a transition. */
  pageMessagesOfRun: {
    in: { session: number; run: number; seq: number; i: number; upTo: number } & PageLimit;
    out: MessageRow[];
  };
  listMessagesOfRun: { in: { session: number; run: number }; out: MessageRow[] };
  deleteMessagesOfRun: { in: { session: number; run: number }; out: number };
  /** Messages of a session before a run, newest first. */
  listMessagesBefore: { in: { session: number; run: number; limit: number }; out: MessageRow[] };
  /** The first message of the user in the runs from `from` to `to`, by their `pk`. */
  firstUserMessage: { in: { session: number; from: number; to: number }; out: MessageRow | undefined };
  lastSummary: { in: { session: number }; out: MessageRow | undefined };
  /** Summaries, oldest first. */
  listSummaries: { in: { session: number }; out: MessageRow[] };
}
