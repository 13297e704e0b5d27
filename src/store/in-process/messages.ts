import type { MessageStatements } from '../statements/messages.ts';
import { constraintFailed } from './errors.ts';
import { type Handlers, newest, requireSession, type Tables } from './schema.ts';

/** Sorts before the first message of a transition. */
const first = Number.NEGATIVE_INFINITY;

export function messageStatements(tables: Tables): Handlers<MessageStatements> {
  const { messages } = tables;
  return {
    insertMessage({ session, run, seq, i, role, body, at }) {
      requireSession(tables, session);
      if (!messages.add(session, { session, run, seq, i, role, body, at }))
        throw constraintFailed(`session ${session} has a message ${run}/${seq}/${i}`);
      return 1;
    },

    listMessages: ({ session, run, seq }) =>
      messages.from(session, { run, seq, i: first }).map((message) => ({ ...message })),

    listMessagesOfRun({ session, run }) {
      const found = [];
      for (const message of messages.from(session, { run, seq: first, i: first })) {
        if (message.run !== run) break;
        found.push({ ...message });
      }
      return found;
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
