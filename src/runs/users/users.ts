import type { Clock } from '../../engine/clock.ts';
import { leavingUser } from '../../engine/commit.ts';
import { isUserId } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { LeavingRow } from '../../store/rows.ts';
import { removeRun } from '../rows/remove-run.ts';
import { ask, type Store } from '../rows/statements.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type Claim, type ClaimAnswer, type Claimed, claimRows } from './claim.ts';

/** What is kept of users beside the rows of their sessions. */
interface Belongings {
  isKept(tenant: number, user: string): Promise<boolean>;
  /** Gives a guest's memory to a user. Goes on where an earlier attempt broke off. */
  handOver(tenant: number, from: string, to: string): Promise<void>;
  /** Deletes a user's memory. */
  eraseMemory(tenant: number, user: string): Promise<void>;
  /** Erases what is not stored any more from the index of conversations. False if that was not possible now. */
  eraseIndex(tenant: number): Promise<boolean>;
  removeJobs(tenant: number, user: string): Promise<void>;
  /** Gives what a shop keeps of a guest to a user. */
  claimCart(tenant: number, from: string, to: string): void;
  forgetCart(tenant: number, user: string): void;
}

interface UsersOptions {
  store: Store;
  clock: Clock;
  sessions: Sessions;
  runs: { cancel(tenant: number, runId: string, reason: string): Promise<boolean> };
  belongings: Belongings;
  /** Are told of a claim until they return once. If there are none, the next process that has some tells them. */
  claimed: readonly ((claim: Claimed) => void | Promise<void>)[];
  /** Are told of a user who is forgotten, until they return once: what they keep goes as well. If there are none, as of a claim. */
  forgetting: readonly ((user: Forgetting) => void | Promise<void>)[];
  report(error: unknown, runId: string): void;
}

/** A user of whom nothing is to be left. */
export interface Forgetting {
  tenantId: number;
  userId: string;
}

export interface Forgotten extends MethodOutput<'users.forget'> {}

/** A reader of the database keeps its log from being truncated. */
const eraseTries = 20;
const eraseAgainMs = 250;
/** So long a process that has functions of the host may stay away: then the names are deleted. */
const tellableMs = 30 * 24 * 3_600_000;

/** The operations on all that is kept of a user. */
export class Users {
  readonly #options: UsersOptions;

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  /** @throws DetentError as {@link claimRows}. */
  async claim(tenant: number, claim: Claim): Promise<ClaimAnswer> {
    const { belongings, report } = this.#options;
    const { from, to } = claim;
    try {
      const done = await claimRows(
        this.#options,
        tenant,
        claim,
        await belongings.isKept(tenant, String(from)),
      );
      await this.#follow(tenant, from, to).catch((error) => report(error, ''));
      return done;
    } catch (error) {
      // The process of the first request may have died before memory had followed.
      if (DetentError.is(error) && error.code === 'USER_CLAIMED') await this.finish();
      throw error;
    }
  }

  async #follow(tenant: number, from: string, to: string): Promise<void> {
    const { store, belongings, claimed } = this.#options;
    await belongings.handOver(tenant, from, to);
    belongings.claimCart(tenant, from, to);
    for (const tell of claimed) await tell({ tenantId: tenant, from, to });
    const done = claimed.length > 0 ? 1 : 2;
    await store.commit(() => ask('settleLeaving', { tenant, user: from, done }));
  }

  /**
   * Deletes all that is kept of a user, and overwrites its remains in the files. Goes on where an earlier attempt broke off.
   *
   * @throws DetentError `INVALID_ARGUMENTS`; `USER_CLAIMED` for a guest who went over to another user; `SESSION_BUSY` while a
   * cancelled workflow undoes what it did.
   */
  async forget(tenant: number, user: string): Promise<Forgotten> {
    if (!isUserId(user))
      throw new DetentError(
        'INVALID_ARGUMENTS',
        `userId is a text of 1 to 128 characters, not ${shown(user)}`,
      );
    const { store, clock } = this.#options;
    const at = clock.now();
    await store.commit(function* () {
      const leaving = yield* ask('findLeaving', { tenant, user });
      if (leaving && leaving.toUser !== null) throw leavingUser(leaving);
      if (!leaving) yield* ask('insertLeaving', { tenant, user, toUser: null, done: 0, at });
      yield* ask('revokeTokensOf', { tenant, user, at });
    });
    return this.#forget(tenant, user);
  }

  /** Goes on with what a process that died had begun. What fails is reported, and stays open. */
  async finish(): Promise<void> {
    const { store, report } = this.#options;
    for (const { tenant, user, toUser } of await store.query('listLeavings', { done: 0 }))
      await (toUser === null ? this.#forget(tenant, user) : this.#follow(tenant, user, toUser)).catch(
        (error) => report(error, ''),
      );
    await this.tell();
  }

  /** Calls the functions of the host for what processes without any did. What fails is reported, and stays open. */
  async tell(): Promise<void> {
    const { store, clock, report } = this.#options;
    for (const leaving of await store.query('listLeavings', { done: 2 })) {
      const { tenant, user, toUser, at } = leaving;
      try {
        if (!(await this.#told(leaving)) && at > clock.now() - tellableMs) continue;
        await store.commit(() =>
          toUser === null
            ? ask('deleteTold', { tenant, user })
            : ask('settleLeaving', { tenant, user, done: 1 }),
        );
      } catch (error) {
        report(error, '');
      }
    }
  }

  /** Whether there was a function to call. */
  async #told({ tenant, user, toUser }: LeavingRow & { tenant: number }): Promise<boolean> {
    const { claimed, forgetting } = this.#options;
    if (toUser !== null) {
      for (const tell of claimed) await tell({ tenantId: tenant, from: user, to: toUser });
      return claimed.length > 0;
    }
    for (const tell of forgetting) await tell({ tenantId: tenant, userId: user });
    return forgetting.length > 0;
  }

  async #forget(tenant: number, user: string): Promise<Forgotten> {
    const { store, belongings, forgetting } = this.#options;
    await belongings.removeJobs(tenant, user);
    const gone = await this.#removeRuns(tenant, user);
    const guests = (await store.query('listGuestsOf', { tenant, user })).map((guest) => guest.user);
    await store.commit(function* () {
      for (const one of [user, ...guests]) {
        yield* ask('deleteRequestKeysOf', { tenant, owner: JSON.stringify(one) });
        yield* ask('deleteTokensOf', { tenant, user: one });
        yield* ask('deleteUploadsOf', { tenant, user: one });
        yield* ask('deleteAccountsOf', { tenant, user: one });
        yield* ask('forgetUserOfUsage', { tenant, user: one });
      }
      // Answers are kept without their session.
      yield* ask('deleteAnswersOf', { tenant });
    });
    const isForgotten = await belongings.eraseIndex(tenant);
    const isErased = await this.#erase();
    // Last: a call of a cancelled run may have written a line meanwhile.
    for (const one of [...guests, user]) {
      await belongings.eraseMemory(tenant, one);
      belongings.forgetCart(tenant, one);
      for (const tell of forgetting) await tell({ tenantId: tenant, userId: one });
    }
    const erased = isForgotten && isErased;
    const told = forgetting.length > 0;
    if (erased) await store.commit(() => ask(told ? 'deleteLeavingsOf' : 'leaveToTell', { tenant, user }));
    return { ...gone, erased, told };
  }

  async #removeRuns(tenant: number, user: string): Promise<Omit<Forgotten, 'erased' | 'told'>> {
    const { store, sessions, runs } = this.#options;
    const gone = { sessions: 0, runs: 0, messages: 0 };
    for (const { key } of await store.query('listSessionsOf', { tenant, user })) {
      // Those of tasks go with their parents.
      if (!(await store.query('findSession', { tenant, key }))) continue;
      const removed = await sessions.remove(tenant, key);
      gone.sessions += 1;
      gone.runs += removed.runs;
      gone.messages += removed.messages;
    }
    for (const { id } of await store.query('listRunsApart', { tenant, user })) {
      await runs.cancel(tenant, id, 'the data of its user was deleted');
      const removed = await store.commit(function* () {
        const row = yield* ask('loadRun', { tenant, id });
        return row ? yield* removeRun(row) : [];
      });
      if (removed === null)
        throw new DetentError('SESSION_BUSY', `run ${id} has been cancelled and has not ended; try again`, {
          details: { runId: id },
          retryable: true,
        });
      gone.runs += removed.length;
    }
    return gone;
  }

  async #erase(): Promise<boolean> {
    const { store } = this.#options;
    if (!store.erase) return true;
    for (let tries = 1; ; tries++) {
      const { complete } = await store.erase(function* () {});
      if (complete || tries === eraseTries) return complete;
      await new Promise((resolve) => setTimeout(resolve, eraseAgainMs));
    }
  }
}
