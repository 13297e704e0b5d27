import { page } from '../page.ts';
import type { MessageStatements } from '../statements/messages.ts';
import { constraintFailed } from './errors.ts';
import { type Handlers, newest, requireSession, type Tables } from './schema.ts';

/** Sorts before the first message of a transition. */
const first = Number.NEGATIVE_INFINITY;

export function messageStatements(tables: Tables): Handlers<MessageStatements> {
  const { messages } = tables;
  const ofRun = (session: number, run: number) => {
    const rows = messages.from(session, { run, seq: first, i: first });
    const end = rows.findIndex((message) => message.run !== run);
    return end < 0 ? rows : rows.slice(0, end);
  };
  return {
    insertMessage({ session, run, seq, i, role, body, at }) {
      requireSession(tables, session);
      if (!messages.add(session, { session, run, seq, i, role, body, at }))
        throw constraintFailed(`session ${session} has a message ${run}/${seq}/${i}`);
      return 1;
    },

    listMessages: ({ session, run, seq }) =>
      messages.from(session, { run, seq, i: first }).map((message) => ({ ...message })),

    pageMessagesOfRun({ session, run, seq, i, upTo, ...bytes }) {
      const rows = ofRun(session, run);
      const behind = rows.filter(
        (one) => one.seq <= upTo && (one.seq > seq || (one.seq === seq && one.i > i)),
      );
      return page(behind, bytes).map((message) => ({ ...message }));
    },

    listMessagesOfRun: ({ session, run }) => ofRun(session, run).map((message) => ({ ...message })),

    deleteMessagesOfRun({ session, run }) {
      const gone = ofRun(session, run);
      for (const message of gone) messages.remove(session, message);
      return gone.length;
    },

    listMessagesBefore({ session, run, limit }) {
      const before = messages.of(session).filter((message) => message.run < run);
      return newest(before, limit).map((message) => ({ ...message }));
    },

    listSummaries: ({ session }) =>
      messages.of(session).flatMap((message) => (message.role === 'summary' ? [{ ...message }] : [])),

    firstUserMessage({ session, from, to }) {
      const found = messages
        .from(session, { run: from, seq: first, i: first })
        .find(({ run, role }) => run <= to && role === 'user');
      return found && { ...found };
    },

    lastSummary({ session }) {
      const found = messages.of(session).findLast(({ role }) => role === 'summary');
      return found && { ...found };
    },
  };
}
