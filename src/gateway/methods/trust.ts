import type { TokenView } from '../../index.ts';
import { type Caller, isWithin, seenUser } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { trustMethods as declared } from '../../protocol/methods.ts';
import { type Call, isOfHost, type Performers } from './method.ts';

export const trustPerformers = {
  async 'trust.list'(call) {
    const { detent, caller } = call;
    const folders = trustOf(call)
      ?.folders()
      .map((one) => ({ ...one, files: [...one.files], mine: one.mine ?? false }));
    const tokens = await detent.tokens.list({ tenantId: caller.tenantId });
    const mine = tokens.filter((token) => isOwn(caller, token));
    return {
      folders: folders ?? null,
      skills: isOwner(call) ? await detent.skills.approved(caller.tenantId) : [],
      tokens: mine,
    };
  },
  async 'trust.revoke'(call, { kind, name }) {
    const isRevoked =
      kind === 'folder'
        ? trustOf(call)?.revoke(name)
        : isOwner(call) && (await call.detent.skills.revoke(name, call.caller.tenantId)) > 0;
    if (!isRevoked)
      throw new DetentError('NOT_FOUND', `the ${kind} ${JSON.stringify(name)} is not trusted here`);
    return { revoked: true as const };
  },
  async 'token.revoke'({ detent, caller }, { id }) {
    const { tenantId } = caller;
    const token = (await detent.tokens.list({ tenantId })).find((one) => one.id === id);
    if (!token || !isOwn(caller, token))
      throw new DetentError('NOT_FOUND', `there is no token ${JSON.stringify(id)}`);
    await detent.tokens.revoke(id, tenantId);
    return { revoked: true as const };
  },
} satisfies Performers<typeof declared>;

/** Whether a token gives access to no more than the caller itself sees. */
function isOwn(caller: Caller, token: TokenView): boolean {
  const user = seenUser(caller);
  return (user === null || token.userId === user) && isWithin(token, caller);
}

/** Whether the caller is the person who runs this machine: its folders are hidden from other tenants and their users. */
function isOwner({ caller }: Call): boolean {
  return isOfHost(caller) && caller.userId === null;
}

function trustOf(call: Call) {
  return isOwner(call) ? call.trust : null;
}
