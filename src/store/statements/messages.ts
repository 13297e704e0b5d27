import type { Kysely } from 'kysely';
import type { Database } from '../query/database.ts';
import { all, change, columnsOf, one, page, valuesOf } from '../query/query.ts';
import type { MessageRow, PageLimit, Scoped } from '../rows.ts';

const messages = (k: Kysely<Database>) => k.selectFrom('messages').select(columnsOf('messages'));

/** The conversation of a session, summaries included. */
export const messageStatements = {
  insertMessage: change<MessageRow & Scoped>((k, p) =>
    k.insertInto('messages').values(valuesOf('messages', p)),
  ),
  /** Messages from a place in the session on, oldest first. */
  listMessages: all<{ session: number; run: number; seq: number }, MessageRow>((k, p) =>
    messages(k)
      .where('session_pk', '=', p.session)
      // Redundant with the next line, but without it the planner reads the session from its first message on.
      .where('run_pk', '>=', p.run)
      .where((e) => e.or([e('run_pk', '>', p.run), e('seq', '>=', p.seq)]))
      .orderBy('run_pk')
      .orderBy('seq')
      .orderBy('i'),
  ),
  /** A page of a run's messages: those behind a place, up to a transition. */
  pageMessagesOfRun: page<
    { session: number; run: number; seq: number; i: number; upTo: number } & PageLimit,
    MessageRow
  >((k, p) =>
    messages(k)
      .where('session_pk', '=', p.session)
      .where('run_pk', '=', p.run)
      // Redundant with the next line, but without it the planner reads the run from its first message on.
      .where('seq', '>=', p.seq)
      .where('seq', '<=', p.upTo)
      .where((e) => e.or([e('seq', '>', p.seq), e('i', '>', p.i)]))
      .orderBy('seq')
      .orderBy('i'),
  ),
  deleteMessagesOfRun: change<{ session: number; run: number }>((k, p) =>
    k.deleteFrom('messages').where('session_pk', '=', p.session).where('run_pk', '=', p.run),
  ),
  /** Messages of a session before a run, newest first. */
  listMessagesBefore: all<{ session: number; run: number; limit: number }, MessageRow>((k, p) =>
    messages(k)
      .where('session_pk', '=', p.session)
      .where('run_pk', '<', p.run)
      .orderBy('run_pk', 'desc')
      .orderBy('seq', 'desc')
      .orderBy('i', 'desc')
      .limit(p.limit),
  ),
  /** The first message of the user in the runs from `from` to `to`, by their `pk`. */
  firstUserMessage: one<{ session: number; from: number; to: number }, MessageRow>((k, p) =>
    messages(k)
      .where('session_pk', '=', p.session)
      .where('run_pk', '>=', p.from)
      .where('run_pk', '<=', p.to)
      .where('role', '=', 'user')
      .orderBy('run_pk')
      .orderBy('seq')
      .orderBy('i')
      .limit(1),
  ),
  lastSummary: one<{ session: number }, MessageRow>((k, p) =>
    messages(k)
      .where('session_pk', '=', p.session)
      .where('role', '=', 'summary')
      .orderBy('run_pk', 'desc')
      .orderBy('seq', 'desc')
      .orderBy('i', 'desc')
      .limit(1),
  ),
  /** Summaries, oldest first. */
  listSummaries: all<{ session: number }, MessageRow>((k, p) =>
    messages(k)
      .where('session_pk', '=', p.session)
      .where('role', '=', 'summary')
      .orderBy('run_pk')
      .orderBy('seq')
      .orderBy('i'),
  ),
};
