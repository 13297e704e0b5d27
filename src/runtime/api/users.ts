import { defaultTenant } from '../../protocol/access.ts';
import type { OfRequest } from '../../runs/rows.ts';
import type { Claim, ClaimAnswer, Claimed, Forgetting, Forgotten, Users } from '../../runs/sessions.ts';
import type { Core, Listing } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/** All that is kept of the users of a host. `tenantId` defaults to 1. */
export interface DetentUsers {
  /**
   * Gives all that is kept of a guest to the user who has logged in, once: sessions, runs, memory, uploads, jobs and what was spent of
   * budgets, in one commit; memory files follow. Runs at work, parked and queued go on. The tokens of the guest are revoked, and
   * nothing new begins for it.
   *
   * Throws `NOT_FOUND` if there is nothing of the guest, `USER_CLAIMED` for a second claim, `USER_FORGOTTEN`, `INVALID_ARGUMENTS`.
   *
   * @example
   * ```ts
   * await detent.users.claim({ from: 'guest:7f3a', to: 'ann' });
   * ```
   */
  claim(claim: Claim & { tenantId?: number }): Promise<ClaimAnswer>;
  /**
   * Tells of claims, for what a program keeps of users itself, such as a cart: at least once, also of a claim whose process died, as
   * soon as `finish` runs. A function that throws is told again then. Returns the function that ends it.
   */
  onClaim(tell: (claim: Claimed) => void | Promise<void>): () => void;
  /**
   * Tells of users who are forgotten, for what a program keeps of them itself: at least once. While a function throws, the user is not
   * forgotten. Returns the function that ends it.
   */
  onForget(tell: (user: Forgetting) => void | Promise<void>): () => void;
  /** All that is kept of a user, as lines of JSON, each with a `type`; the last one is `end`. */
  export(userId: string, options?: { tenantId?: number }): AsyncIterable<string>;
  /**
   * Cancels the runs of a user, deletes all that is kept, and overwrites what remains in the files. A process that dies within it leaves
   * the rest to the next call, or to `finish`. Throws `SESSION_BUSY` while a cancelled workflow undoes what it did.
   */
  forget(userId: string, options?: { tenantId?: number } & OfRequest): Promise<Forgotten>;
  /** Whether a user is a guest who went over to another one, or is being forgotten: nothing begins for it. */
  isGone(userId: string, options?: { tenantId?: number }): Promise<boolean>;
  /** Goes on with claims and deletions whose process died. `runs.resume()` does so, too. */
  finish(): Promise<void>;
}

/**
 * @param core opens the parts on first use.
 * @param listing opens the database alone.
 * @param ended tells connections that tokens have ended
 *
 * @internal
 */
export function usersApi(
  core: () => Promise<Core>,
  listing: () => Promise<Pick<Listing, 'store'>>,
  ended: () => void,
  { onError = console.error }: Pick<DetentOptions, 'onError'>,
): DetentUsers {
  const listeners = new Set<(claim: Claimed) => void | Promise<void>>();
  const forgetters = new Set<(user: Forgetting) => void | Promise<void>>();
  const opened = async (): Promise<{ users: Users; parts: Core }> => {
    const parts = await core();
    const { Users } = await import('../../runs/sessions.ts');
    const { belongingsOf } = await import('../parts/belongings.ts');
    const users = new Users({
      ...parts,
      sessions: await parts.sessions(),
      belongings: belongingsOf(parts),
      claimed: [...listeners],
      forgetting: [...forgetters],
      report: onError,
    });
    return { users, parts };
  };
  return {
    async claim({ tenantId = defaultTenant, ...claim }) {
      const { users } = await opened();
      const done = await users.claim(tenantId, claim);
      ended();
      return done;
    },
    onClaim(tell) {
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
    onForget(tell) {
      forgetters.add(tell);
      return () => void forgetters.delete(tell);
    },
    async *export(userId, { tenantId = defaultTenant } = {}) {
      const { parts } = await opened();
      const { store, clock, sdkVersion } = parts;
      const { exportUser } = await import('../../runs/sessions.ts');
      const { besideOf } = await import('../parts/belongings.ts');
      yield* exportUser(store, {
        ...besideOf(parts, tenantId, userId),
        tenant: tenantId,
        user: userId,
        at: clock.now(),
        sdkVersion: sdkVersion(),
      });
    },
    async forget(userId, { tenantId = defaultTenant } = {}) {
      const { users } = await opened();
      const gone = await users.forget(tenantId, userId);
      ended();
      return gone;
    },
    async isGone(user, { tenantId: tenant = defaultTenant } = {}) {
      return (await (await listing()).store.query('findLeaving', { tenant, user })) !== undefined;
    },
    async finish() {
      const open = await (await core()).store.query('listOpenLeavings', {});
      if (open.length > 0) await (await opened()).users.finish();
    },
  };
}
