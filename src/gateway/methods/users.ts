import { DetentError } from '../../protocol/error.ts';
import type { userMethods as declared } from '../../protocol/methods.ts';
import { isBound } from '../feeds/sight.ts';
import { type Call, type Performers, requestOf } from './method.ts';

export const userPerformers = {
  async 'session.claim'(call, { from, to, claims }) {
    refuseBound(call);
    const { tenantId } = call.caller;
    const claim = { from, to, tenantId, ...(claims && { claims }), ...requestOf(call) };
    return { ...(await call.detent.users.claim(claim)) };
  },
  async 'users.export'(call, { userId, after, maxBytes }) {
    refuseBound(call);
    const lines: string[] = [];
    let [at, size] = [0, 0];
    for await (const line of call.detent.users.export(userId, { tenantId: call.caller.tenantId })) {
      if (size >= maxBytes) return { lines, next: at };
      if (at++ < after) continue;
      lines.push(line);
      size += line.length;
    }
    return { lines, next: null };
  },
  async 'users.forget'(call, { userId }) {
    refuseBound(call);
    return { ...(await call.detent.users.forget(userId, { tenantId: call.caller.tenantId })) };
  },
} satisfies Performers<typeof declared>;

/** Users are the tenant's: a customer's own token gives nobody away, and a token of some agents does not reach all of a user. */
function refuseBound({ caller }: Call): void {
  if (!isBound(caller)) return;
  throw new DetentError(
    'FORBIDDEN',
    'the data of a user needs a token that sees the whole tenant: this one is bound to a user, agents or workflows',
  );
}
