import { DetentError } from '../../protocol/error.ts';
import { plain } from '../items.ts';
import type { Product } from '../models.ts';
import { inOneCommit, type ShopFile } from '../state/shop-file.ts';
import { CustomerRows } from './demo-shop.ts';
import { ownProducts } from './own-products.ts';
import { readShop } from './read-fixture.ts';

export interface ImportOptions {
  tenantId: number;
  /** ISO 4217; default `USD`. */
  currency?: string | undefined;
  /** Replaces what the shop has, orders and customers, too. */
  replace?: boolean | undefined;
}

export interface Imported {
  products: number;
  customers: number;
  orders: number;
}

/**
 * Fills the demo shop of a tenant from a file of the shape of `fixtures/shop/db.json`, whole or not at all, and adds a few products of
 * our own, some with Chinese names.
 *
 * @throws DetentError `INVALID_SHOP`; `SHOP_NOT_EMPTY` without `replace`.
 */
export function importShop(db: ShopFile, json: string, options: ImportOptions): Imported {
  const { tenantId: tenant, currency = 'USD', replace = false } = options;
  const given = readShop(json, currency);
  const own = readShop(JSON.stringify({ ...ownProducts(), orders: {}, users: {} }), currency);
  const taken = new Set(given.products.flatMap(namesOf));
  const products = [
    ...given.products,
    ...own.products.filter((product) => !namesOf(product).some((each) => taken.has(each))),
  ];
  const rows = new CustomerRows(db);
  inOneCommit(db, () => {
    const isFilled = db.prepare('select 1 from shops where tenant = ?').get(tenant) !== undefined;
    if (isFilled && !replace)
      throw new DetentError(
        'SHOP_NOT_EMPTY',
        'this shop already has data: an import would undo the changes of its customers; to do this, add --replace',
      );
    for (const table of filled) db.prepare(`delete from ${table} where tenant = ?`).run(tenant);
    db.prepare(
      'insert into shops values (?, ?, 1) on conflict do update set currency = excluded.currency, version = version + 1',
    ).run(tenant, currency);
    for (const { variants, ...product } of products) {
      db.prepare('insert into products values (?, ?, ?)').run(tenant, product.id, JSON.stringify(product));
      for (const [place, { id, options, price, isAvailable, stock }] of variants.entries())
        db.prepare('insert into variants values (?, ?, ?, ?, ?, ?, ?, ?)').run(
          tenant,
          id,
          product.id,
          place,
          price.minor,
          Number(isAvailable),
          stock,
          JSON.stringify(options),
        );
    }
    for (const customer of given.customers) rows.writeCustomer(tenant, customer);
    for (const order of given.orders) rows.writeOrder(tenant, order);
    for (const coupon of [...own.coupons, ...given.coupons])
      db.prepare('insert or replace into coupons values (?, ?, ?)').run(
        tenant,
        coupon.code.toUpperCase(),
        JSON.stringify(coupon),
      );
  });
  return { products: products.length, customers: given.customers.length, orders: given.orders.length };
}

/** By which a product, or an item of it, can be meant. */
function namesOf({ id, name, variants }: Product): string[] {
  return [id, plain(name), ...variants.map((it) => it.id)];
}

const filled = [
  'products',
  'variants',
  'customers',
  'orders',
  'coupons',
  'item_changes',
  'identities',
  'agreements',
];
