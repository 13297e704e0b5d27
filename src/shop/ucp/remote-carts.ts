import { DetentError } from '../../protocol/error.ts';
import { shopFailed } from '../http/exchange.ts';
import type { Cart, CartChange, Checkout } from '../models.ts';
import { deny, ShopDenied } from '../rules/denied.ts';
import type { ShopCall, ShopWrite } from '../shop-api.ts';
import { answerOf, type Kept, keep, recall, requestHash } from '../state/once.ts';
import { inOneCommit, ownedBy, ownerOf, type ShopFile } from '../state/shop-file.ts';
import { bodyOf, type CartStep, differences, emptyBody, merged, pieces, stepped } from './cart-lines.ts';
import { answerTo, isOverwritten, noted, type Pending } from './pending.ts';
import { cartOf } from './replies.ts';
import { isNotFound, must, type UcpRequests } from './ucp-requests.ts';
import { type CartReply, cartReply, checkoutReply } from './wire.ts';

interface CartRow {
  cart: string | null;
  version: number;
  pending: string | null;
}

const maxTurns = 60;
/** An update that the shop fails at so often no longer holds up others. */
const maxTries = 10;

/**
 * Carts at a shop where an update replaces all lines.
 *
 * Each cart has one update at a time, and a version. An update is made on what the shop says, and begins in a commit that demands the
 * version from before that reading: no update of another device can lie between them. It ends when the shop has answered it; until then
 * whoever wants to change the cart sends it again, under its key, and only then reads. So no line is lost, whatever times out or dies.
 */
export class RemoteCarts {
  readonly #db: ShopFile;
  readonly #requests: UcpRequests;

  constructor(db: ShopFile, requests: UcpRequests) {
    this.#db = db;
    this.#requests = requests;
  }

  /** Null before anything was in it. */
  async view(call: ShopCall): Promise<Cart | null> {
    await this.#bringAlong(call);
    const cart = await this.#read(this.#row(ownerOf(call), call).cart, call);
    return cart && cartOf(cart);
  }

  async change(change: CartChange, write: ShopWrite): Promise<Cart> {
    await this.#bringAlong(write);
    if (change.action === 'coupon' && !(await this.#requests.has('discount', write)))
      deny('NOT_OFFERED', 'this shop takes no coupons here: the page where the customer pays may');
    return this.#perform(ownerOf(write), change, write.key, write);
  }

  async checkout(write: ShopWrite): Promise<Checkout> {
    await this.#bringAlong(write);
    const request = requestHash(write, ['checkout']);
    const kept = recall(this.#db, write, request);
    if (kept) return answerOf(kept);
    const owner = ownerOf(write);
    const cart = await this.#settled(owner, write);
    if (cart === null || cart.line_items.length === 0)
      return deny('CART_EMPTY', 'there is nothing in the cart');
    const { id, url, notes, reply } = await this.#checkoutOf(cart, write);
    const made: Checkout = { id, url, cart: cartOf(reply, notes) };
    inOneCommit(this.#db, () => {
      keep(this.#db, write, request, { ok: made });
      this.#db
        .prepare('insert or ignore into remote_checkouts (tenant, id, owner) values (?, ?, ?)')
        .run(write.principal.tenantId, id, owner);
    });
    return made;
  }

  /** Those of the caller, latest first. */
  checkoutsOf(call: ShopCall, limit: number): string[] {
    return this.#db
      .prepare<unknown[], string>(
        'select id from remote_checkouts where tenant = ? and owner = ? order by place desc limit ?',
      )
      .pluck()
      .all(call.principal.tenantId, ownerOf(call), limit);
  }

  hasCheckout(id: string, call: ShopCall): boolean {
    const owner = this.#db
      .prepare<[number, string], string>('select owner from remote_checkouts where tenant = ? and id = ?')
      .pluck()
      .get(call.principal.tenantId, id);
    return owner === ownerOf(call);
  }

  /** A checkout has the lines of its cart: one that the shop had begun before is brought to them. */
  async #checkoutOf(cart: CartReply, write: ShopWrite) {
    const key = `checkout ${ownerOf(write)} ${write.key} ${cart.id}`;
    const ask = async (path: string, method: 'POST' | 'PUT', body: object, key: string) =>
      must(
        await this.#requests.ask('checkout', 'checkout', checkoutReply, { path, method, body, key }, write),
      );
    let reply = await ask('/checkout-sessions', 'POST', { cart_id: cart.id, line_items: [] }, key);
    const lines = cart.line_items.map(({ item, quantity }) => ({ item: { id: item.id }, quantity }));
    const isNested = cart.line_items.some(({ parent_id }) => parent_id !== undefined);
    if (differences(lines, reply.line_items).length > 0 && !isNested)
      reply = await ask(
        `/checkout-sessions/${encodeURIComponent(reply.id)}`,
        'PUT',
        { line_items: lines },
        `${key} lines ${JSON.stringify(lines)}`,
      );
    const url = reply.continue_url === undefined ? null : URL.parse(reply.continue_url);
    if (url === null || !['https:', 'http:'].includes(url.protocol))
      return shopFailed('checkout', 'it names no page where the customer pays (continue_url)');
    return { id: reply.id, url: url.href, reply, notes: differences(lines, reply.line_items) };
  }

  async #perform(owner: string, step: CartStep, key: string, call: ShopCall): Promise<Cart> {
    const keyed = { principal: call.principal, key };
    const request = requestHash(call, ['cart', step]);
    let begun: string | null = null;
    const notes = new Set<string>();
    for (let turn = 0; turn < maxTurns; turn++) {
      const kept = recall(this.#db, keyed, request);
      if (kept) return noted(answerOf<Cart>(kept), notes);
      const row = this.#row(owner, call);
      if (row.pending !== null) {
        const isOwn = (JSON.parse(row.pending) as Pending).key === key;
        await this.#settle(owner, row.pending, row.pending === begun, call);
        if (!isOwn) notes.add('a change from before, or from another device, is in it, too');
        continue;
      }
      const cart = await this.#read(row.cart, call);
      const base = cart ? bodyOf(cart) : emptyBody;
      const body = attempted(() => stepped(base, step));
      if ('denied' in body) {
        this.#keepAt(owner, row.version, keyed, request, body);
        continue;
      }
      const pending: Pending = {
        key,
        request,
        step,
        cart: cart?.id ?? null,
        base,
        body: body.ok,
        round: 0,
      };
      begun = this.#begin(owner, row.version, pending, call);
    }
    return shopFailed('changeCart', 'others change this cart all the time', true);
  }

  /** The cart when nothing is pending. */
  async #settled(owner: string, call: ShopCall): Promise<CartReply | null> {
    for (let turn = 0; turn < maxTurns; turn++) {
      const { pending, cart } = this.#row(owner, call);
      if (pending === null) return this.#read(cart, call);
      await this.#settle(owner, pending, false, call);
    }
    return shopFailed('cart', 'others change this cart all the time', true);
  }

  /**
   * Sends the update that a cart waits for until the shop has answered it.
   *
   * @param isFresh this call has just begun it: nobody else can have sent it yet.
   */
  async #settle(owner: string, text: string, isFresh: boolean, call: ShopCall): Promise<void> {
    const pending = JSON.parse(text) as Pending;
    const before = isFresh ? null : await this.#read(pending.cart, call);
    const outcome = await this.#send(owner, pending, call).catch((error: unknown) => {
      if (isFresh && DetentError.is(error) && error.details.isUnmade === true)
        this.#end(owner, text, pending.cart, call);
      else this.#failed(owner, text, call);
      throw error;
    });
    // The cart has expired meanwhile: the next turn makes a new one.
    if (isNotFound(outcome) && pending.cart !== null) return this.#end(owner, text, null, call);
    if ('refused' in outcome) {
      const { code, message } = outcome.refused;
      return this.#end(owner, text, pending.cart, call, { denied: code, words: message });
    }
    const { id } = outcome.is;
    const after = isFresh ? outcome.is : ((await this.#read(id, call)) ?? outcome.is);
    if (before && isOverwritten(before, after, pending)) {
      const body = merged(pending.body, pending.base, bodyOf(before));
      return this.#again(owner, text, { ...pending, cart: id, base: bodyOf(after), body }, call);
    }
    this.#end(owner, text, id, call, answerTo(pending, after));
  }

  async #send(owner: string, { key, cart, body, round }: Pending, call: ShopCall) {
    const path = cart === null ? '/carts' : `/carts/${encodeURIComponent(cart)}`;
    return this.#requests.ask(
      'changeCart',
      'cart',
      cartReply,
      {
        path,
        method: cart === null ? 'POST' : 'PUT',
        body: cart === null ? body : { id: cart, ...body },
        key: `cart ${call.principal.tenantId} ${owner} ${key} ${round}`,
      },
      call,
    );
  }

  /** Null when there is none, or no longer. */
  async #read(id: string | null, call: ShopCall): Promise<CartReply | null> {
    if (id === null) return null;
    const path = `/carts/${encodeURIComponent(id)}`;
    const outcome = await this.#requests.ask('cart', 'cart', cartReply, { path, method: 'GET' }, call);
    return isNotFound(outcome) ? null : must(outcome);
  }

  /** A guest has become a user. The lines go over when the user is there: only the shop has them. */
  claim(tenant: number, from: string, to: string): void {
    this.#db
      .prepare('update remote_carts set owner = ? where tenant = ? and owner = ?')
      .run(`${claimedBy(to)}${JSON.stringify(from)}`, tenant, ownedBy(from));
    this.#giveCheckouts(tenant, ownedBy(from), ownedBy(to));
  }

  /** What is kept here of the carts and checkouts of a user: the shop keeps its own. */
  forget(tenant: number, user: string): void {
    this.#db
      .prepare(
        'delete from remote_carts where tenant = @tenant and (owner = @owner or substr(owner, 1, length(@claimed)) = @claimed)',
      )
      .run({ tenant, owner: ownedBy(user), claimed: claimedBy(user) });
    this.#db
      .prepare('delete from remote_checkouts where tenant = ? and owner = ?')
      .run(tenant, ownedBy(user));
  }

  /** Nothing of a cart is in the file. */
  of(): null {
    return null;
  }

  /** A guest's cart goes over to the user who has logged in. It is read without anybody's credential. */
  async #bringAlong(call: ShopCall): Promise<void> {
    const { principal, sessionId } = call;
    if (principal.userId === null) return;
    const guests = this.#db
      .prepare<unknown[], string>(
        'select owner from remote_carts where tenant = @tenant and (owner = @owner or substr(owner, 1, length(@claimed)) = @claimed)',
      )
      .pluck()
      .all({
        tenant: principal.tenantId,
        owner: `session ${sessionId}`,
        claimed: claimedBy(principal.userId),
      });
    for (const guest of guests) await this.#move(guest, call);
  }

  async #move(guest: string, call: ShopCall): Promise<void> {
    const { principal } = call;
    const asGuest = { ...call, principal: { ...principal, userId: null, claims: {} } };
    const cart = await this.#settled(guest, asGuest);
    const lines = [...pieces(cart?.line_items ?? [])].map(([itemId, quantity]) => ({ itemId, quantity }));
    const owner = ownerOf(call);
    if (cart && lines.length > 0)
      await this.#perform(
        owner,
        { action: 'move', lines },
        `move ${guest} ${cart.id} ${JSON.stringify(lines)}`,
        call,
      );
    inOneCommit(this.#db, () => {
      const { tenantId } = principal;
      this.#db.prepare('delete from remote_carts where tenant = ? and owner = ?').run(tenantId, guest);
      this.#giveCheckouts(tenantId, guest, owner);
    });
  }

  #giveCheckouts(tenant: number, from: string, to: string): void {
    this.#db
      .prepare('update remote_checkouts set owner = ? where tenant = ? and owner = ?')
      .run(to, tenant, from);
  }

  #row(owner: string, { principal }: ShopCall): CartRow {
    return this.#rowOf(principal.tenantId, owner) ?? { cart: null, version: 0, pending: null };
  }

  #rowOf(tenant: number, owner: string): CartRow | undefined {
    return this.#db
      .prepare<[number, string], CartRow>(
        'select cart, version, pending from remote_carts where tenant = ? and owner = ?',
      )
      .get(tenant, owner);
  }

  /** What is pending now; null when the cart has changed since it was read. */
  #begin(owner: string, version: number, pending: Pending, { principal }: ShopCall): string | null {
    const text = JSON.stringify(pending);
    const { changes } = this.#db
      .prepare(
        `insert into remote_carts values (?, ?, ?, ?, ?, 0)
         on conflict do update set cart = excluded.cart, pending = excluded.pending, tries = 0
         where version = excluded.version and pending is null`,
      )
      .run(principal.tenantId, owner, pending.cart, version, text);
    return changes === 1 ? text : null;
  }

  #again(owner: string, text: string, pending: Pending, { principal }: ShopCall): void {
    this.#db
      .prepare('update remote_carts set pending = ? where tenant = ? and owner = ? and pending = ?')
      .run(JSON.stringify({ ...pending, round: pending.round + 1 }), principal.tenantId, owner, text);
  }

  /** Without an answer the step is made again, or fails. Somebody else may have ended it. */
  #end(owner: string, text: string, cart: string | null, { principal }: ShopCall, answer?: Kept): void {
    const { key, request } = JSON.parse(text) as Pending;
    inOneCommit(this.#db, () => {
      const { changes } = this.#db
        .prepare(
          `update remote_carts set cart = ?, version = version + 1, pending = null
           where tenant = ? and owner = ? and pending = ?`,
        )
        .run(cart, principal.tenantId, owner, text);
      if (changes === 1 && answer) keep(this.#db, { principal, key }, request, answer);
    });
  }

  #failed(owner: string, text: string, { principal }: ShopCall): void {
    this.#db
      .prepare(
        `update remote_carts set tries = tries + 1, pending = iif(tries + 1 < ?, pending, null),
           version = iif(tries + 1 < ?, version, version + 1)
         where tenant = ? and owner = ? and pending = ?`,
      )
      .run(maxTries, maxTries, principal.tenantId, owner, text);
  }

  /** A denial holds for the version of the cart that it was made on. */
  #keepAt(
    owner: string,
    version: number,
    keyed: Pick<ShopWrite, 'principal' | 'key'>,
    request: string,
    denial: Kept,
  ): void {
    inOneCommit(this.#db, () => {
      const row = this.#rowOf(keyed.principal.tenantId, owner) ?? { version: 0, pending: null };
      if (row.version === version && row.pending === null && recall(this.#db, keyed, request) === null)
        keep(this.#db, keyed, request, denial);
    });
  }
}

/** Carts of guests who have become this user begin so. */
function claimedBy(user: string): string {
  return `claimed ${JSON.stringify(user)} `;
}

function attempted<T>(work: () => T): { ok: T } | { denied: string; words: string } {
  try {
    return { ok: work() };
  } catch (error) {
    if (error instanceof ShopDenied) return { denied: error.code, words: error.message };
    throw error;
  }
}
