import { z } from 'zod';
import { ofCaller, principalOf } from '../owners.ts';
import { hits, limit, queries, sessionId, sessionSummary, since, statuses, view } from './fields.ts';
import { type Method, method } from './method.ts';

const force = z.boolean().default(false).describe('Cancels an unfinished run of the session first.');

export const sessionMethods: readonly Method[] = [
  method({
    name: 'session.create',
    scope: 'write',
    summary: 'Makes an empty session. A run needs none: it makes the session that it names.',
    input: z.strictObject({ sessionId: sessionId.optional().describe('Default: a new key.') }),
    output: z.strictObject({ sessionId: z.string() }),
    http: { verb: 'post', path: '/sessions', status: 201 },
    keyed: 'refused',
    makesSessions: true,
    perform: ({ detent, caller }, { sessionId: key }) =>
      detent.sessions.create({ ...principalOf(caller), ...(key !== undefined && { key }) }),
  }),
  method({
    name: 'session.list',
    scope: 'read',
    summary: 'Sessions, newest first.',
    input: z.strictObject({
      status: statuses.optional(),
      since: since.optional(),
      limit: limit(1000, 100),
    }),
    output: z.strictObject({ sessions: z.array(sessionSummary) }),
    http: { verb: 'get', path: '/sessions' },
    perform: async ({ detent, caller }, filter) => ({
      sessions: (await detent.sessions.list({ ...filter, ...ofCaller(caller) })).map((one) => ({ ...one })),
    }),
  }),
  method({
    name: 'session.search',
    scope: 'read',
    summary: 'Searches the words of past conversations.',
    input: z.strictObject({ query: queries, limit: hits }),
    output: view({}, 'SessionSearch'),
    http: { verb: 'get', path: '/session-search' },
    perform: async ({ detent, caller }, { query, limit }) => ({
      ...(await detent.sessions.search(query, {
        ...(limit !== undefined && { limit }),
        ...ofCaller(caller),
      })),
    }),
  }),
  method({
    name: 'session.get',
    scope: 'read',
    summary: 'A session with its runs and its conversation.',
    input: z.strictObject({ sessionId }),
    output: view({ sessionId: z.string() }, 'Session'),
    http: { verb: 'get', path: '/sessions/{sessionId}' },
    perform: async ({ detent, caller }, { sessionId }) => ({
      ...(await detent.sessions.show(sessionId, caller.tenantId)),
    }),
  }),
  method({
    name: 'session.clear',
    scope: 'write',
    summary: 'Later prompts do not include what was said so far. The log keeps it.',
    input: z.strictObject({ sessionId, force }),
    output: z.strictObject({ cleared: z.int().describe('Messages.') }),
    http: { verb: 'post', path: '/sessions/{sessionId}/clear' },
    keyed: 'refused',
    perform: ({ detent, caller: { tenantId } }, { sessionId, force }) =>
      detent.sessions.clear(sessionId, { force, tenantId }),
  }),
  method({
    name: 'session.delete',
    scope: 'write',
    summary: 'Deletes all data of a session.',
    input: z.strictObject({ sessionId, force }),
    output: view({}, 'DeletedSession'),
    http: { verb: 'delete', path: '/sessions/{sessionId}' },
    keyed: 'refused',
    perform: async ({ detent, caller: { tenantId } }, { sessionId, force }) => ({
      ...(await detent.sessions.delete(sessionId, { force, tenantId })),
    }),
  }),
];
