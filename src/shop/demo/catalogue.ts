import type { FoundItem, Product, ProductPage, ProductQuery, Variant } from '../models.ts';
import { deny } from '../rules/denied.ts';
import type { ShopFile } from '../state/shop-file.ts';
import { ItemIndex, itemOf, searchItems } from './search-items.ts';

interface VariantRow {
  id: string;
  product: string;
  price: number;
  available: number;
  stock: number | null;
  options: string;
}

/** The products of the file. */
export class Catalogue {
  readonly #db: ShopFile;
  /** By tenant, for one version of its products. */
  readonly #indexes = new Map<number, { version: number; index: ItemIndex }>();

  constructor(db: ShopFile) {
    this.#db = db;
  }

  /** @throws DetentError `SHOP_EMPTY`. */
  currency(tenant: number): string {
    return this.#shop(tenant).currency;
  }

  search(tenant: number, query: ProductQuery): ProductPage {
    const { version } = this.#shop(tenant);
    const products = this.all(tenant);
    let kept = this.#indexes.get(tenant);
    if (kept?.version !== version) {
      kept = { version, index: new ItemIndex(products) };
      this.#indexes.set(tenant, kept);
    }
    return searchItems(products, query, kept.index);
  }

  all(tenant: number): Product[] {
    const rows = this.#db
      .prepare<[number], VariantRow>('select * from variants where tenant = ? order by product, place')
      .all(tenant);
    const byProduct = Map.groupBy(rows, ({ product }) => product);
    return this.#db
      .prepare<[number], { id: string; body: string }>('select id, body from products where tenant = ?')
      .all(tenant)
      .map(({ id, body }) => this.#product(tenant, body, byProduct.get(id) ?? []));
  }

  product(tenant: number, id: string): Product | null {
    const body = this.#db
      .prepare<unknown[], string>(
        `select body from products where tenant = @tenant and id = coalesce(
           (select id from products where tenant = @tenant and id = @id),
           (select product from variants where tenant = @tenant and id = @id))`,
      )
      .pluck()
      .get({ tenant, id });
    if (body === undefined) return null;
    const { id: product } = JSON.parse(body) as Product;
    const rows = this.#db
      .prepare<[number, string], VariantRow>(
        'select * from variants where tenant = ? and product = ? order by place',
      )
      .all(tenant, product);
    return this.#product(tenant, body, rows);
  }

  item(tenant: number, id: string): FoundItem | null {
    const product = this.product(tenant, id);
    const variant = product?.variants.find((each) => each.id === id);
    return product && variant ? itemOf(product, variant) : null;
  }

  /** Adds pieces, or takes them when negative; where pieces are not counted, nothing changes. @throws ShopDenied `NOT_AVAILABLE`. */
  addStock(tenant: number, item: string, pieces: number): void {
    const { changes } = this.#db
      .prepare(
        'update variants set stock = stock + @pieces where tenant = @tenant and id = @item and (stock is null or stock + @pieces >= 0)',
      )
      .run({ tenant, item, pieces });
    if (changes === 0 && pieces < 0) deny('NOT_AVAILABLE', `there are fewer than ${-pieces} of ${item}`);
  }

  /** @throws ShopDenied `NOT_FOUND`, `INVALID_PRICE`. */
  setPrice(tenant: number, item: string, minor: number): void {
    if (!Number.isSafeInteger(minor) || minor < 0) deny('INVALID_PRICE', 'a price is whole minor units');
    const sql = 'update variants set price = ? where tenant = ? and id = ?';
    const { changes } = this.#db.prepare(sql).run(minor, tenant, item);
    if (changes === 0) deny('NOT_FOUND', `the shop has no item ${JSON.stringify(item)}`);
  }

  #product(tenant: number, body: string, rows: readonly VariantRow[]): Product {
    const currency = this.currency(tenant);
    const variants = rows.map(
      ({ id, price, available, stock, options }): Variant => ({
        id,
        options: JSON.parse(options),
        price: { minor: price, currency },
        isAvailable: available === 1 && stock !== 0,
        stock,
      }),
    );
    return { ...JSON.parse(body), variants };
  }

  #shop(tenant: number): { currency: string; version: number } {
    const shop = this.#db
      .prepare<[number], { currency: string; version: number }>(
        'select currency, version from shops where tenant = ?',
      )
      .get(tenant);
    return (
      shop ??
      deny('SHOP_EMPTY', 'this shop has no products yet: its owner fills it with "detent shop import FILE"')
    );
  }
}
