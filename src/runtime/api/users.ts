import type { Clock } from '../../engine/clock.ts';
import { defaultTenant } from '../../protocol/access.ts';
import type { OfRequest } from '../../runs/rows.ts';
import type { Claim, ClaimAnswer, Claimed, Forgetting, Forgotten, Users } from '../../runs/sessions.ts';
import type { Core, Listing } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/** All that Detent stores about the users of a host. `tenantId` defaults to 1. */
export interface DetentUsers {
  /**
   * Gives all data of a guest to the user who has logged in, once: sessions, runs, memory, uploads, jobs and spent budgets, in one
   * commit; memory files follow. Runs that are at work, parked or queued continue. Detent revokes the guest's tokens and begins
   * nothing new for the guest.
   *
   * Throws `NOT_FOUND` if Detent has no data of the guest, `USER_CLAIMED` for a second claim, `USER_FORGOTTEN`, `INVALID_ARGUMENTS`.
   *
   * @example
   * ```ts
   * await detent.users.claim({ from: 'guest:7f3a', to: 'ann' });
   * ```
   */
  claim(claim: Claim & { tenantId?: number }): Promise<ClaimAnswer>;
  /**
   * Calls a function for each claim, so that your program can move what it stores about users itself, such as a cart. Detent calls the
   * function at least once: if the process died or the function threw, again when `finish` runs. For a claim in a process without such
   * a function, Detent calls it within a minute, or at the next `finish`. Returns the function that ends it.
   */
  onClaim(tell: (claim: Claimed) => void | Promise<void>): () => void;
  /**
   * Calls a function for each user to be forgotten, at least once, so that your program can delete what it stores about them itself.
   * As long as the function throws, Detent does not forget the user. For a user whom a process without such a function forgot, Detent
   * calls it within a minute, or at the next `finish`. Returns the function that ends it.
   */
  onForget(tell: (user: Forgetting) => void | Promise<void>): () => void;
  /** All data of a user, as lines of JSON, each with a `type`; the last one is `end`. */
  export(userId: string, options?: { tenantId?: number }): AsyncIterable<string>;
  /**
   * Cancels the runs of a user, deletes all of the user's data, and overwrites the bytes that remain in the files. If the process dies
   * meanwhile, the next call or `finish` does the rest. Throws `SESSION_BUSY` while a cancelled workflow undoes what it did.
   */
  forget(userId: string, options?: { tenantId?: number } & OfRequest): Promise<Forgotten>;
  /** Whether another user has claimed this guest, or Detent is forgetting this user: nothing begins for them. */
  isGone(userId: string, options?: { tenantId?: number }): Promise<boolean>;
  /**
   * Finishes claims and deletions whose process died, and calls your functions for those of processes without any.
   * `runs.resume()` does this, too.
   */
  finish(): Promise<void>;
}

/** How often a program with functions looks for what other processes did. */
const tellEveryMs = 60_000;

/**
 * @param core opens the parts on first use.
 * @param listing opens the database alone.
 * @param ended tells connections that tokens have ended
 * @returns with them what looks, from now on, for users whom other processes forgot, and what ends it
 *
 * @internal
 */
export function usersApi(
  core: () => Promise<Core>,
  listing: () => Promise<Pick<Listing, 'store'>>,
  ended: () => void,
  { onError = console.error }: Pick<DetentOptions, 'onError'>,
): { api: DetentUsers; watch(clock: Clock): void; stop(): Promise<void> } {
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
  let clock: Clock | null = null;
  let wake: (() => void) | null = null;
  let telling = Promise.resolve();
  const watch = () => {
    if (!clock || wake || listeners.size + forgetters.size === 0) return;
    wake = clock.wakeAt(clock.now() + tellEveryMs, () => {
      wake = null;
      const tell = async () => (await opened()).users.tell();
      telling = tell().catch((error) => onError(error, ''));
      watch();
    });
  };
  const api: DetentUsers = {
    async claim({ tenantId = defaultTenant, ...claim }) {
      const { users } = await opened();
      const done = await users.claim(tenantId, claim);
      ended();
      return done;
    },
    onClaim(tell) {
      listeners.add(tell);
      watch();
      return () => void listeners.delete(tell);
    },
    onForget(tell) {
      forgetters.add(tell);
      watch();
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
      const { store } = await core();
      for (const done of [0, 2] as const)
        if ((await store.query('listLeavings', { done })).length > 0) return (await opened()).users.finish();
    },
  };
  return {
    api,
    watch(opened) {
      clock = opened;
      watch();
    },
    async stop() {
      clock = null;
      wake?.();
      await telling;
    },
  };
}
