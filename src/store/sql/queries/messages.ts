import type { Kysely } from 'kysely';
import type { MessageStatements } from '../../statements/messages.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const messages = (k: Kysely<Database>) =>
  k
    .selectFrom('messages')
    .select(['session_pk as session', 'run_pk as run', 'seq', 'i', 'role', 'body', 'at']);

export const messageQueries = {
  insertMessage: [
    'run',
    (k, p) =>
      k.insertInto('messages').values({
        session_pk: p.session,
        run_pk: p.run,
        seq: p.seq,
        i: p.i,
        tenant_id: p.tenant,
        role: p.role,
        body: p.body,
        at: p.at,
      }),
  ],
  listMessages: [
    'all',
    (k, p) =>
      messages(k)
        .where('session_pk', '=', p.session)
        // Redundant with the next line, but without it the planner reads the session from its first message on.
        .where('run_pk', '>=', p.run)
        .where((e) => e.or([e('run_pk', '>', p.run), e('seq', '>=', p.seq)]))
        .orderBy('run_pk')
        .orderBy('seq')
        .orderBy('i'),
  ],
  pageMessagesOfRun: [
    'page',
    (k, p) =>
      messages(k)
        .where('session_pk', '=', p.session)
        .where('run_pk', '=', p.run)
        // Redundant with the next line, but without it the planner reads the run from its first message on.
        .where('seq', '>=', p.seq)
        .where('seq', '<=', p.upTo)
        .where((e) => e.or([e('seq', '>', p.seq), e('i', '>', p.i)]))
        .orderBy('seq')
        .orderBy('i'),
  ],
  listMessagesOfRun: [
    'all',
    (k, p) =>
      messages(k).where('session_pk', '=', p.session).where('run_pk', '=', p.run).orderBy('seq').orderBy('i'),
  ],
  deleteMessagesOfRun: [
    'run',
    (k, p) => k.deleteFrom('messages').where('session_pk', '=', p.session).where('run_pk', '=', p.run),
  ],
  listMessagesBefore: [
    'all',
    (k, p) =>
      messages(k)
        .where('session_pk', '=', p.session)
        .where('run_pk', '<', p.run)
        .orderBy('run_pk', 'desc')
        .orderBy('seq', 'desc')
        .orderBy('i', 'desc')
        .limit(p.limit),
  ],
  listSummaries: [
    'all',
    (k, p) =>
      messages(k)
        .where('session_pk', '=', p.session)
        .where('role', '=', 'summary')
        .orderBy('run_pk')
        .orderBy('seq')
        .orderBy('i'),
  ],
  firstUserMessage: [
    'get',
    (k, p) =>
      messages(k)
        .where('session_pk', '=', p.session)
        .where('run_pk', '>=', p.from)
        .where('run_pk', '<=', p.to)
        .where('role', '=', 'user')
        .orderBy('run_pk')
        .orderBy('seq')
        .orderBy('i')
        .limit(1),
  ],
  lastSummary: [
    'get',
    (k, p) =>
      messages(k)
        .where('session_pk', '=', p.session)
        .where('role', '=', 'summary')
        .orderBy('run_pk', 'desc')
        .orderBy('seq', 'desc')
        .orderBy('i', 'desc')
        .limit(1),
  ],
} satisfies Queries<MessageStatements>;
