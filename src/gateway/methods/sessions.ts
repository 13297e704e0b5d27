import type { sessionMethods as declared } from '../../protocol/methods.ts';
import { ofCaller, principalOf } from '../feeds/sight.ts';
import { type Performers, requestOf } from './method.ts';

export const sessionPerformers = {
  'session.create': (call, { sessionId }) =>
    call.detent.sessions.create({
      ...principalOf(call.caller),
      ...requestOf(call),
      ...(sessionId !== undefined && { sessionId }),
    }),
  'session.list': async ({ detent, caller }, filter) => ({
    sessions: await detent.sessions.list({ ...filter, ...ofCaller(caller) }),
  }),
  'session.search': async ({ detent, caller }, { query, limit }) =>
    detent.sessions.search(query, {
      ...(limit !== undefined && { limit }),
      ...ofCaller(caller),
    }),
  'session.get': async ({ detent, caller }, { sessionId }) =>
    detent.sessions.show(sessionId, caller.tenantId),
  'session.update': (call, { sessionId, title, pinned }) =>
    call.detent.sessions.update(sessionId, {
      title,
      pinned,
      tenantId: call.caller.tenantId,
      ...requestOf(call),
    }),
  'session.clear': (call, { sessionId, force }) =>
    call.detent.sessions.clear(sessionId, { force, tenantId: call.caller.tenantId, ...requestOf(call) }),
  'session.delete': (call, { sessionId, force }) =>
    call.detent.sessions.delete(sessionId, { force, tenantId: call.caller.tenantId, ...requestOf(call) }),
} satisfies Performers<typeof declared>;
