import * as z from 'zod/mini';
import { thumbs } from '../enums.ts';
import { sessionSearch, sessionSummary, sessionView } from './answers/conversation.ts';
import {
  about,
  hits,
  idempotencyKey,
  limit,
  named,
  queries,
  runId,
  seq,
  sessionId,
  statuses,
  text,
  time,
  word,
} from './fields.ts';
import type { Declarations } from './method.ts';

const force = about(z._default(z.boolean(), false), 'Cancels an unfinished run of the session first.');

export const sessionMethods = {
  'session.create': {
    scope: 'write',
    talk: true,
    summary: 'Creates an empty session. A run does not need it: it creates the session that it names.',
    input: z.strictObject({ sessionId: about(z.optional(sessionId), 'Default: a new key.'), idempotencyKey }),
    output: z.strictObject({ sessionId: z.string() }),
    http: { verb: 'post', path: '/sessions', status: 201 },
    keyed: 'noted',
    makesSessions: true,
  },
  'session.list': {
    scope: 'read',
    talk: true,
    summary: 'Sessions, newest first. Those that `kept` and `sessionId` add come last.',
    input: z.strictObject({
      status: z.optional(statuses),
      since: z.optional(time),
      slots: about(
        z.optional(z.boolean()),
        'Only sessions of slots of jobs that have ended; the list otherwise omits them.',
      ),
      kept: about(
        z.optional(z.boolean()),
        'Adds older ones that are pinned, or have an unfinished run, whatever the limit.',
      ),
      sessionId: about(z.optional(sessionId), 'Adds this one, however old it is.'),
      limit: limit(1000, 100),
    }),
    output: z.strictObject({ sessions: z.array(sessionSummary) }),
    http: { verb: 'get', path: '/sessions' },
  },
  'session.search': {
    scope: 'read',
    talk: true,
    summary: 'Searches the words of past conversations.',
    input: z.strictObject({ query: queries, limit: hits }),
    output: sessionSearch,
    http: { verb: 'get', path: '/session-search' },
  },
  'session.get': {
    scope: 'read',
    talk: true,
    summary: 'A session with its runs and its conversation.',
    input: z.strictObject({ sessionId }),
    output: sessionView,
    http: { verb: 'get', path: '/sessions/{sessionId}' },
  },
  'session.update': {
    scope: 'write',
    talk: true,
    summary: 'Names a session, pins it, or unpins it: changes the fields that are given.',
    input: z.strictObject({
      sessionId,
      title: about(z.optional(z.nullable(word())), 'null: its first words are its title again.'),
      pinned: z.optional(z.boolean()),
      idempotencyKey,
    }),
    output: named('NamedSession', z.strictObject({ title: z.nullable(z.string()), pinned: z.boolean() })),
    http: { verb: 'patch', path: '/sessions/{sessionId}' },
    keyed: 'noted',
  },
  'session.clear': {
    scope: 'write',
    talk: true,
    summary: 'Later prompts do not include what was said so far. The log keeps it.',
    input: z.strictObject({ sessionId, force, idempotencyKey }),
    output: z.strictObject({ cleared: about(z.int(), 'Messages.') }),
    http: { verb: 'post', path: '/sessions/{sessionId}/clear' },
    keyed: 'noted',
  },
  'session.delete': {
    scope: 'write',
    talk: true,
    summary: 'Deletes all data of a session.',
    input: z.strictObject({ sessionId, force, idempotencyKey }),
    output: named(
      'DeletedSession',
      z.strictObject({
        /** Including those of its tasks, like `messages`. */
        runs: z.int(),
        messages: z.int(),
        erased: about(z.boolean(), 'False when traces may still be in the file of the database.'),
      }),
    ),
    http: { verb: 'delete', path: '/sessions/{sessionId}' },
    keyed: 'noted',
  },
  'session.takeover': {
    scope: 'approve',
    summary:
      'A person of the staff speaks in the session from now on, and its agent is silent: Detent cancels the running and queued runs there. Not for the user of the session.',
    input: z.strictObject({
      sessionId,
      reason: about(z.optional(word(2_000)), 'For the staff.'),
      idempotencyKey,
    }),
    output: z.strictObject({
      runId: about(z.string(), 'The run of the takeover: its events have what is said.'),
      since: z.number(),
      by: z.string(),
    }),
    http: { verb: 'post', path: '/sessions/{sessionId}/takeover' },
    keyed: 'noted',
  },
  'session.say': {
    scope: 'approve',
    summary: 'Says something to the user of a session that was taken over.',
    input: z.strictObject({ sessionId, content: word(100_000), idempotencyKey }),
    output: z.strictObject({ runId: about(z.string(), 'The run of the takeover.') }),
    http: { verb: 'post', path: '/sessions/{sessionId}/words', status: 202 },
    keyed: 'noted',
  },
  'session.giveBack': {
    scope: 'approve',
    summary:
      'The agent continues, and sees all that was said. If the user spoke last, it answers; otherwise it waits.',
    input: z.strictObject({ sessionId, idempotencyKey }),
    output: z.strictObject({ runId: about(z.nullable(z.string()), 'The run that answers.') }),
    http: { verb: 'delete', path: '/sessions/{sessionId}/takeover' },
    keyed: 'noted',
  },
  'session.rate': {
    scope: 'write',
    talk: true,
    summary: 'Stores how the user of a session rates one answer. A later rating replaces an earlier one.',
    input: z.strictObject({
      sessionId,
      runId,
      messageSeq: about(
        z.optional(seq),
        'The answer, by its `seq` in the run. Default: the last one of the run.',
      ),
      thumb: z.enum(thumbs),
      reason: z.optional(text(2_000)),
      idempotencyKey,
    }),
    output: z.strictObject({ runId: z.string(), messageSeq: z.int(), thumb: z.enum(thumbs) }),
    http: { verb: 'post', path: '/sessions/{sessionId}/ratings' },
    keyed: 'noted',
  },
} satisfies Declarations;
