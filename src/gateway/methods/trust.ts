import { z } from 'zod';
import type { TokenView } from '../../index.ts';
import { type Caller, isWithin, seenUser } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { view } from './fields.ts';
import { type Call, isOfHost, type Method, method } from './method.ts';

const revoked = z.strictObject({ revoked: z.literal(true) });
const name = z.string().min(1).max(4_096).describe('As `trust.list` names it.');
const tokenId = z.string().min(1).max(200).describe('The part of the token before the dot.');

/** What is trusted here. These methods show it and take it back; no method grants it. */
export const trustMethods: readonly Method[] = [
  method({
    name: 'trust.list',
    scope: 'admin',
    summary: 'What is trusted: folders, skills as they were, and the tokens that let clients in.',
    input: z.strictObject({}),
    output: z.strictObject({
      folders: z
        .array(z.strictObject({ folder: z.string(), at: z.string(), files: z.array(z.string()) }))
        .nullable()
        .describe(
          'Null when the program that serves keeps no such records, or for another tenant than the first.',
        ),
      skills: z.array(z.strictObject({ name: z.string(), hash: z.string(), at: z.string() })),
      tokens: z.array(view({ id: z.string() })),
    }),
    http: { verb: 'get', path: '/trust' },
    async perform(call) {
      const { detent, caller } = call;
      const folders = trustOf(call)
        ?.folders()
        .map((one) => ({ ...one, files: [...one.files] }));
      const tokens = await detent.tokens.list({ tenantId: caller.tenantId });
      const mine = tokens.filter((token) => isOwn(caller, token));
      return {
        folders: folders ?? null,
        skills: isOwner(call) ? await detent.skills.approved(caller.tenantId) : [],
        tokens: mine.map((token) => ({ ...token })),
      };
    },
  }),
  method({
    name: 'trust.revoke',
    scope: 'admin',
    summary:
      'Trusts a folder no longer, so that the next command there asks again; or a skill, in whichever form it was approved.',
    input: z.strictObject({ kind: z.enum(['folder', 'skill']), name }),
    output: revoked,
    http: { verb: 'post', path: '/trust/revocations' },
    keyed: 'repeated',
    async perform(call, { kind, name }) {
      const isRevoked =
        kind === 'folder'
          ? trustOf(call)?.revoke(name)
          : isOwner(call) && (await call.detent.skills.revoke(name, call.caller.tenantId)) > 0;
      if (!isRevoked)
        throw new DetentError('NOT_FOUND', `the ${kind} ${JSON.stringify(name)} is not trusted here`);
      return { revoked: true as const };
    },
  }),
  method({
    name: 'token.revoke',
    scope: 'admin',
    summary: 'Lets the holder of a token in no longer.',
    input: z.strictObject({ id: tokenId }),
    output: revoked,
    http: { verb: 'delete', path: '/tokens/{id}' },
    keyed: 'repeated',
    async perform({ detent, caller }, { id }) {
      const { tenantId } = caller;
      const token = (await detent.tokens.list({ tenantId })).find((one) => one.id === id);
      if (!token || !isOwn(caller, token))
        throw new DetentError('NOT_FOUND', `there is no token ${JSON.stringify(id)}`);
      await detent.tokens.revoke(id, tenantId);
      return { revoked: true as const };
    },
  }),
];

/** Whether a token lets in whom the caller sees, to no more than exists for the caller. */
function isOwn(caller: Caller, token: TokenView): boolean {
  const user = seenUser(caller);
  return (user === null || token.userId === user) && isWithin(token, caller);
}

/** The folders of this machine are the affair of the person who runs it, not of other tenants or their users. */
function isOwner({ caller }: Call): boolean {
  return isOfHost(caller) && caller.userId === null;
}

function trustOf(call: Call) {
  return isOwner(call) ? call.trust : null;
}
