import { randomUUID } from 'node:crypto';
import { type Detent, DetentError } from 'detent';
import type { OpenShop } from 'detent/shop';
import type { Notices } from './notices.ts';

/** Whoever has the page open: a guest, or a customer who has logged in. */
export interface Visitor {
  /** What the page shows the gateway. */
  token: string;
  userId: string;
  isGuest: boolean;
}

/** The customers of `shop.json`. Your shop has their passwords, hashed, or asks the login that it has. */
const passwords: ReadonlyMap<string, string> = new Map([
  ['ann', 'oolong'],
  ['bob', 'jasmine'],
]);

const dayMs = 86_400_000;

/** Who comes to the shop. The token of a visitor is in a cookie that scripts cannot read. */
export class Visitors {
  readonly #detent: Detent;
  readonly #shop: OpenShop;
  readonly #notices: Notices;

  constructor(detent: Detent, shop: OpenShop, notices: Notices) {
    this.#detent = detent;
    this.#shop = shop;
    this.#notices = notices;
  }

  /** Whose token it is; null for none, and for one that is over. */
  async known(token: string): Promise<Visitor | null> {
    const caller = await this.#detent.tokens.check(token);
    const userId = caller?.userId ?? null;
    if (userId === null || !caller?.scopes.includes('talk')) return null;
    return { token, userId, isGuest: userId.startsWith('guest:') };
  }

  newGuest(): Promise<Visitor> {
    return this.#issue(`guest:${randomUUID()}`);
  }

  /** The conversations, cart and watched prices of a guest go along; null for a wrong password. */
  async logIn(before: Visitor | null, user: string, password: string): Promise<Visitor | null> {
    if (!passwords.has(user) || passwords.get(user) !== password) return null;
    if (before?.isGuest) await this.#claim(before, user);
    return this.#issue(user);
  }

  async logOut({ token }: Visitor): Promise<void> {
    await this.#detent.tokens.revoke(token.split('.')[0] ?? '');
  }

  async #issue(userId: string): Promise<Visitor> {
    const { token } = await this.#detent.tokens.create({
      scopes: ['talk'],
      userId,
      agents: ['shop'],
      workflows: ['refund'],
      expiresAt: Date.now() + 30 * dayMs,
    });
    return { token, userId, isGuest: userId.startsWith('guest:') };
  }

  async #claim(guest: Visitor, to: string): Promise<void> {
    const from = guest.userId;
    // Also of a guest who has filled a cart and not said a word.
    this.#shop.users.claim(1, from, to);
    this.#notices.move(from, to);
    try {
      await this.#detent.users.claim({ from, to });
    } catch (error) {
      // Nothing else is kept of this guest.
      if (!DetentError.is(error) || !['NOT_FOUND', 'USER_CLAIMED'].includes(error.code)) throw error;
      await this.logOut(guest);
    }
  }
}

/** A customer acts in the shop itself, without the assistant. */
export function asUser(userId: string) {
  return {
    principal: { tenantId: 1, userId, claims: {} },
    sessionId: '',
    signal: AbortSignal.timeout(10_000),
  };
}
