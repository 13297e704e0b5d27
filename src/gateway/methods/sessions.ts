import { sessionMethods as declared } from '../../protocol/methods/sessions.ts';
import { ofCaller, principalOf } from '../owners.ts';
import { performed } from './method.ts';

export const sessionMethods = performed(declared, {
  'session.create': ({ detent, caller }, { sessionId: key }) =>
    detent.sessions.create({ ...principalOf(caller), ...(key !== undefined && { key }) }),
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
  'session.clear': ({ detent, caller: { tenantId } }, { sessionId, force }) =>
    detent.sessions.clear(sessionId, { force, tenantId }),
  'session.delete': async ({ detent, caller: { tenantId } }, { sessionId, force }) =>
    detent.sessions.delete(sessionId, { force, tenantId }),
});
