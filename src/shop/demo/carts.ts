import { hex, sha256 } from '../../text/ids.ts';
import type { Cart, CartChange, Checkout, Coupon } from '../models.ts';
import { type Money, minus, sumOf, times } from '../money.ts';
import { deny } from '../rules/denied.ts';
import type { ShopCall, ShopWrite } from '../shop-api.ts';
import { ownedBy, ownerOf, type ShopFile } from '../state/shop-file.ts';
import type { Catalogue } from './catalogue.ts';

const maxLines = 100;
const maxPieces = 99;

/** Carts, one for each user. Call its methods within a commit. */
export class Carts {
  readonly #db: ShopFile;
  readonly #catalogue: Catalogue;
  readonly #now: () => number;

  constructor(db: ShopFile, catalogue: Catalogue, now: () => number) {
    this.#db = db;
    this.#catalogue = catalogue;
    this.#now = now;
  }

  /** Lines of items that the shop no longer has are left out. */
  view(call: ShopCall): Cart {
    return this.#cart(call.principal.tenantId, this.#owner(call));
  }

  change(change: CartChange, call: ShopCall): Cart {
    const { tenantId: tenant } = call.principal;
    const owner = this.#owner(call);
    switch (change.action) {
      case 'add':
        this.#set(
          tenant,
          owner,
          change.itemId,
          this.#quantity(tenant, owner, change.itemId) + change.quantity,
        );
        break;
      case 'change':
        this.#requireLine(tenant, owner, change.itemId);
        this.#set(tenant, owner, change.itemId, change.quantity);
        break;
      case 'remove':
        this.#requireLine(tenant, owner, change.itemId);
        this.#db
          .prepare('delete from cart_lines where tenant = ? and owner = ? and item = ?')
          .run(tenant, owner, change.itemId);
        break;
      case 'clear':
        this.clear(tenant, owner);
        break;
      case 'coupon':
        this.#setCoupon(tenant, owner, change.code);
    }
    return this.#cart(tenant, owner);
  }

  /** Keeps what is to be paid, as it is now. */
  checkout(write: ShopWrite, page: string): Checkout {
    const { tenantId: tenant } = write.principal;
    const owner = this.#owner(write);
    const cart = this.#cart(tenant, owner);
    if (cart.lines.length === 0) deny('CART_EMPTY', 'there is nothing in the cart');
    for (const { itemId, quantity } of cart.lines) this.#requireStock(tenant, itemId, quantity);
    // Nobody can guess it, and a repeat makes the same.
    const id = hex(sha256(`${tenant} ${owner} ${write.key} ${write.runId}`)).slice(0, 32);
    const made: Checkout = { id, url: page.replace('{id}', id), cart };
    this.#db
      .prepare('insert or replace into checkouts values (?, ?, ?, ?, null, ?, ?, ?)')
      .run(tenant, id, owner, JSON.stringify(made), write.sessionId, write.runId, write.callId);
    return made;
  }

  clear(tenant: number, owner: string): void {
    this.#db.prepare('delete from cart_lines where tenant = ? and owner = ?').run(tenant, owner);
    this.#db.prepare('delete from carts where tenant = ? and owner = ?').run(tenant, owner);
  }

  /** That of the user; of the session where there is none. A session without a user that goes over to one brings its cart along. */
  #owner(call: ShopCall): string {
    const owner = ownerOf(call);
    const { sessionId, principal } = call;
    const { tenantId: tenant } = principal;
    const before = this.#db
      .prepare<[number, string], string>('select owner from cart_sessions where tenant = ? and session = ?')
      .pluck()
      .get(tenant, sessionId);
    if (before === owner) return owner;
    this.#db.prepare('insert or replace into cart_sessions values (?, ?, ?)').run(tenant, sessionId, owner);
    if (before?.startsWith('session ')) this.#move(tenant, before, owner);
    return owner;
  }

  /** A guest has become a user, and brings the cart along. A repeat changes nothing. */
  claim(tenant: number, from: string, to: string): void {
    this.#move(tenant, ownedBy(from), ownedBy(to));
    for (const table of ['cart_sessions', 'checkouts'])
      this.#db
        .prepare(`update ${table} set owner = ? where tenant = ? and owner = ?`)
        .run(ownedBy(to), tenant, ownedBy(from));
  }

  /** Deletes the cart of a user, with its checkouts: an order says itself what was bought. */
  forget(tenant: number, user: string): void {
    const owner = ownedBy(user);
    this.clear(tenant, owner);
    for (const table of ['cart_sessions', 'checkouts'])
      this.#db.prepare(`delete from ${table} where tenant = ? and owner = ?`).run(tenant, owner);
  }

  /** Of a user; null if there is nothing in it. */
  of(tenant: number, user: string): Cart | null {
    const owner = ownedBy(user);
    // A shop that is empty has no currency.
    return this.#lines(tenant, owner).length === 0 ? null : this.#cart(tenant, owner);
  }

  /** Pieces of one item add up to what there is of it; none that were there before go. */
  #move(tenant: number, from: string, to: string): void {
    const lines = this.#lines(tenant, from);
    for (const { item, quantity } of lines) {
      const had = this.#quantity(tenant, to, item);
      const stock = this.#catalogue.item(tenant, item)?.variant.stock ?? maxPieces;
      const together = Math.max(had, Math.min(maxPieces, stock, had + quantity));
      if (together > 0) this.#write(tenant, to, item, together);
    }
    const coupon = this.#coupon(tenant, from);
    if (coupon !== null && this.#coupon(tenant, to) === null)
      this.#db.prepare('insert or replace into carts values (?, ?, ?)').run(tenant, to, coupon);
    this.clear(tenant, from);
  }

  #cart(tenant: number, owner: string): Cart {
    const currency = this.#catalogue.currency(tenant);
    const lines = this.#lines(tenant, owner).flatMap(({ item, quantity }) => {
      const found = this.#catalogue.item(tenant, item);
      if (found === null) return [];
      const { productId, name, variant } = found;
      const { options, price } = variant;
      return [{ itemId: item, productId, name, options, quantity, price, total: times(price, quantity) }];
    });
    const subtotal = sumOf(
      lines.map(({ total }) => total),
      currency,
    );
    const code = this.#coupon(tenant, owner);
    const coupon = code === null ? null : this.#validCoupon(tenant, code, subtotal);
    const discount = coupon ? discountOf(coupon, subtotal) : { minor: 0, currency };
    return { lines, coupon: coupon?.code ?? null, subtotal, discount, total: minus(subtotal, discount) };
  }

  #lines(tenant: number, owner: string): { item: string; quantity: number }[] {
    return this.#db
      .prepare<[number, string], { item: string; quantity: number }>(
        'select item, quantity from cart_lines where tenant = ? and owner = ? order by place',
      )
      .all(tenant, owner);
  }

  #quantity(tenant: number, owner: string, item: string): number {
    return (
      this.#db
        .prepare<[number, string, string], number>(
          'select quantity from cart_lines where tenant = ? and owner = ? and item = ?',
        )
        .pluck()
        .get(tenant, owner, item) ?? 0
    );
  }

  #requireLine(tenant: number, owner: string, item: string): void {
    if (this.#quantity(tenant, owner, item) === 0) deny('NOT_IN_CART', `${item} is not in the cart`);
  }

  #set(tenant: number, owner: string, item: string, quantity: number): void {
    if (quantity > maxPieces) deny('TOO_MANY', `a cart holds ${maxPieces} pieces of an item`);
    this.#requireStock(tenant, item, quantity);
    const isNew = this.#quantity(tenant, owner, item) === 0;
    if (isNew && this.#lines(tenant, owner).length >= maxLines)
      deny('TOO_MANY', `a cart holds ${maxLines} items`);
    this.#write(tenant, owner, item, quantity);
  }

  #write(tenant: number, owner: string, item: string, quantity: number): void {
    this.#db
      .prepare(
        `insert into cart_lines values (@tenant, @owner, @item,
           (select coalesce(max(place), 0) + 1 from cart_lines where tenant = @tenant and owner = @owner), @quantity)
         on conflict do update set quantity = excluded.quantity`,
      )
      .run({ tenant, owner, item, quantity });
  }

  #requireStock(tenant: number, item: string, quantity: number): void {
    const found = this.#catalogue.item(tenant, item);
    const { isAvailable, stock } =
      found?.variant ?? deny('NOT_FOUND', `the shop has no item ${JSON.stringify(item)}`);
    if (!isAvailable) deny('NOT_AVAILABLE', `${item} is not available`);
    if (stock !== null && stock < quantity)
      deny('NOT_AVAILABLE', `there are ${stock} of ${item}, not ${quantity}`);
  }

  #coupon(tenant: number, owner: string): string | null {
    return (
      this.#db
        .prepare<[number, string], string | null>('select coupon from carts where tenant = ? and owner = ?')
        .pluck()
        .get(tenant, owner) ?? null
    );
  }

  #setCoupon(tenant: number, owner: string, code: string | null): void {
    const { subtotal } = this.#cart(tenant, owner);
    const coupon = code === null ? null : this.#validCoupon(tenant, code, subtotal);
    if (code !== null && coupon === null)
      deny(
        'COUPON_NOT_VALID',
        `the coupon ${JSON.stringify(code)} is unknown, has expired, or needs a larger cart`,
      );
    this.#db
      .prepare('insert or replace into carts values (?, ?, ?)')
      .run(tenant, owner, coupon?.code ?? null);
  }

  #validCoupon(tenant: number, code: string, subtotal: Money): Coupon | null {
    const body = this.#db
      .prepare<[number, string], string>('select body from coupons where tenant = ? and code = ?')
      .pluck()
      .get(tenant, code.toUpperCase());
    if (body === undefined) return null;
    const coupon = JSON.parse(body) as Coupon;
    if (coupon.validUntil !== undefined && !(Date.parse(coupon.validUntil) > this.#now())) return null;
    if (coupon.minimum !== undefined && subtotal.minor < coupon.minimum.minor) return null;
    return coupon;
  }
}

/** Percents are rounded down, to the smallest unit. */
function discountOf({ percent, amount }: Coupon, { minor, currency }: Money): Money {
  const wanted = amount?.minor ?? Number((BigInt(minor) * BigInt(percent ?? 0)) / 100n);
  return { minor: Math.min(minor, wanted), currency };
}
