import type { Clock } from '../../engine/clock.ts';
import { leavingUser, noteEffect } from '../../engine/commit.ts';
import { isUserId } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { refuseUnknownFields, shown } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Program } from '../../store/program.ts';
import { accountOf } from '../../store/run-options.ts';
import type { OfRequest } from '../rows/keyed-requests.ts';
import { ask, type Store } from '../rows/statements.ts';

/** A guest who goes over to a user. */
export interface Claim extends OfRequest {
  from: string;
  to: string;
  /** What the host says of the user from now on. What it said of the guest goes. Default: nothing. */
  claims?: Record<string, string>;
}

/** A claim, as those are told who keep something of the guest themselves. */
export interface Claimed {
  tenantId: number;
  from: string;
  to: string;
}

export interface ClaimAnswer extends MethodOutput<'session.claim'> {}

/**
 * Gives all that is stored of a guest to a user, in one commit, and ends the guest: its tokens are revoked, and nothing new begins
 * for it. Memory, which is files, follows.
 *
 * @throws DetentError `INVALID_ARGUMENTS`, `NOT_FOUND`, `USER_CLAIMED`, `USER_FORGOTTEN`.
 */
export async function claimRows(
  { store, clock }: { store: Store; clock: Clock },
  tenant: number,
  { from, to, claims = {}, requestId, ...others }: Claim,
  hasMemory: boolean,
): Promise<ClaimAnswer> {
  refuseUnknownFields(others, ['from', 'to', 'claims', 'tenantId'], 'a claim', 'INVALID_ARGUMENTS');
  for (const [name, user] of Object.entries({ from, to }))
    if (!isUserId(user))
      throw new DetentError(
        'INVALID_ARGUMENTS',
        `${name} is a text of 1 to 128 characters, not ${shown(user)}`,
      );
  if (from === to)
    throw new DetentError('INVALID_ARGUMENTS', 'a guest cannot be claimed by itself; name another user');
  const at = clock.now();
  return store.commit(function* () {
    for (const user of [from, to]) {
      const leaving = yield* ask('findLeaving', { tenant, user });
      if (leaving) throw leavingUser(leaving);
    }
    const owner = JSON.stringify(from);
    const whose = { tenant, from, to };
    const principal = JSON.stringify({ tenantId: tenant, userId: to, claims });
    const runs = yield* ask('claimRuns', { ...whose, principal });
    const sessions = yield* ask('claimSessions', whose);
    const uploads = yield* ask('claimUploads', whose);
    const jobs = yield* ask('claimJobs', whose);
    yield* ask('claimUsage', whose);
    yield* claimAccounts(tenant, from, to, at);
    const tokens = yield* ask('revokeTokensOf', { tenant, user: from, at });
    // They keep answers for the guest, under names that are made of the guest's id.
    const keys = yield* ask('deleteRequestKeysOf', { tenant, owner });
    if (!hasMemory && sessions + uploads + jobs + tokens + keys === 0)
      throw new DetentError('NOT_FOUND', `nothing is stored about a guest ${shown(from)}`, {
        details: { userId: from },
      });
    yield* ask('insertLeaving', { tenant, user: from, toUser: to, done: 0, at });
    const done = { from, to, sessions, runs };
    yield* noteEffect(tenant, requestId, done satisfies ClaimAnswer);
    return done;
  });
}

/** What the guest spent, the user has spent: to log in starts no account anew. */
function* claimAccounts(tenant: number, from: string, to: string, at: number): Program<void> {
  for (const { id, period, maxTokens, maxCostUsd, spentTokens, spentCostUsd } of yield* ask(
    'listAccountsOf',
    {
      tenant,
      user: from,
    },
  )) {
    const account = { tenant, id: accountOf(id.split(':', 1)[0] ?? '', to), period };
    yield* ask('ensureBudget', { ...account, maxTokens, maxCostUsd, at });
    yield* ask('spendBudget', { ...account, tokens: spentTokens, costUsd: spentCostUsd, at });
    yield* ask('moveHolds', { tenant, account: id, to: account.id });
  }
  yield* ask('deleteAccountsOf', { tenant, user: from });
}
