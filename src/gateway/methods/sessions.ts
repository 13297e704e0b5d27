import type { sessionMethods as declared } from '../../protocol/methods.ts';
import { ofCaller, principalOf } from '../feeds/sight.ts';
import { byOf, type Call, type Performers, requestOf } from './method.ts';

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
  'session.takeover': {
    perform: (call, { sessionId, reason }) =>
      call.detent.sessions.takeOver(sessionId, { ...actOf(call), ...(reason !== undefined && { reason }) }),
    // Whoever asks again has the same rights, and took the session over.
    answerOf: (call, _runId, { sessionId }) => call.detent.sessions.takeOver(sessionId, actOf(call)),
  },
  'session.say': {
    perform: (call, { sessionId, content }) =>
      call.detent.sessions.say(sessionId, content, {
        ...actOf(call),
        ...(call.caller.name !== undefined && { name: call.caller.name }),
      }),
    answerOf: async (_call, runId) => ({ runId: String(runId) }),
  },
  'session.giveBack': {
    perform: (call, { sessionId }) => call.detent.sessions.giveBack(sessionId, actOf(call)),
    answerOf: ({ detent, caller }, runId) => detent.sessions.answerAfter(String(runId), caller.tenantId),
  },
  'session.rate': (call, { sessionId, ...rating }) =>
    call.detent.sessions.rate(sessionId, { ...rating, ...actOf(call) }),
} satisfies Performers<typeof declared>;

/** Who acts, in which tenant, and for which request. */
function actOf(call: Call) {
  return { tenantId: call.caller.tenantId, ...requestOf(call), ...byOf(call) };
}
