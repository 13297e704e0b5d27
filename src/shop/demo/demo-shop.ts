import type { Checkout, Customer, Order, OrderChange } from '../models.ts';
import { plus } from '../money.ts';
import { deny } from '../rules/denied.ts';
import { noSuchOrder, planOrderChange } from '../rules/order-rules.ts';
import type { CustomerQuery, ShopApi, ShopCall } from '../shop-api.ts';
import { once } from '../state/once.ts';
import { inOneCommit, type ShopFile } from '../state/shop-file.ts';
import { ShopState } from '../state/shop-state.ts';
import { Carts } from './carts.ts';
import { Catalogue } from './catalogue.ts';

interface DemoShopOptions {
  /** Epoch milliseconds; default `Date.now`. */
  now?: () => number;
  /** The page where customers pay; `{id}` stands for the checkout. */
  checkoutPage?: string | undefined;
}

/** A shop in a SQLite file, for trying an assistant out, and for tests. */
export interface DemoShop extends ShopApi {
  /**
   * The customer has paid a checkout: makes an order of it, once, and takes its items from the shelves. For the page of the shop; no tool
   * reaches it.
   *
   * @throws ShopDenied `NOT_FOUND`, `NOT_AVAILABLE`.
   */
  placeOrder(checkoutId: string, customerId: string, methodId: string, tenantId: number): Order;
  checkoutOf(checkoutId: string, tenantId: number): Checkout | null;
  /** The carts of users. Call its methods within a commit. */
  readonly carts: Pick<Carts, 'claim' | 'forget' | 'of'>;
  /** For pages of the shop's own people; no tool reaches it. Throws {@link ShopDenied} `NOT_FOUND`, `INVALID_PRICE`. */
  setPrice(itemId: string, minor: number, tenantId: number): void;
}

const defaultCheckoutPage = 'http://127.0.0.1:8790/checkout/{id}';

export function createDemoShop(
  db: ShopFile,
  { now = Date.now, checkoutPage = defaultCheckoutPage }: DemoShopOptions = {},
): DemoShop {
  const catalogue = new Catalogue(db);
  const carts = new Carts(db, catalogue, now);
  const rows = new CustomerRows(db);
  const state = new ShopState(db, now);
  const tenantOf = ({ principal }: ShopCall) => principal.tenantId;

  function changeOrder(change: OrderChange, customerId: string, tenant: number): Order {
    const order = rows.order(tenant, change.orderId);
    const customer = rows.customer(tenant, customerId);
    if (order === null || customer === null) return deny('NOT_FOUND', noSuchOrder(change.orderId));
    const wanted = 'newItemIds' in change ? change.newItemIds : [];
    const products = wanted.flatMap((id) => catalogue.product(tenant, id) ?? []);
    const plan = planOrderChange(change, { order, customer, products });
    for (const [item, pieces] of plan.stock) catalogue.addStock(tenant, item, pieces);
    const paymentMethods = customer.paymentMethods.map((method) => {
      const added = plan.balances.get(method.id);
      return added && method.balance ? { ...method, balance: plus(method.balance, added) } : method;
    });
    if (plan.balances.size > 0) rows.writeCustomer(tenant, { ...customer, paymentMethods });
    rows.writeOrder(tenant, plan.order);
    return plan.order;
  }

  return {
    carts,
    async searchProducts(query, call) {
      return catalogue.search(tenantOf(call), query);
    },
    async product(id, call) {
      return catalogue.product(tenantOf(call), id);
    },
    async findCustomer(query, call) {
      return rows.find(tenantOf(call), query);
    },
    async order(id, call) {
      return rows.order(tenantOf(call), id);
    },
    async orders(customerId, call) {
      return rows.orders(tenantOf(call), customerId);
    },
    async changeOrder(change, customerId, write) {
      return once(db, write, ['order', customerId, change], () =>
        changeOrder(change, customerId, tenantOf(write)),
      );
    },
    async changeAddress(address, customerId, write) {
      return once(db, write, ['address', customerId, address], () => {
        const customer = rows.customer(tenantOf(write), customerId);
        if (customer === null) return deny('NOT_FOUND', 'the shop has no such customer');
        const changed = { ...customer, address };
        rows.writeCustomer(tenantOf(write), changed);
        return changed;
      });
    },
    async cart(call) {
      return inOneCommit(db, () => carts.view(call));
    },
    async changeCart(change, write) {
      return once(db, write, ['cart', change], () => carts.change(change, write));
    },
    async checkout(write) {
      return once(db, write, ['checkout'], () => carts.checkout(write, checkoutPage));
    },
    checkoutOf(checkoutId, tenantId) {
      const row = rows.checkout(tenantId, checkoutId);
      return row ? (JSON.parse(row.body) as Checkout) : null;
    },
    setPrice: (itemId, minor, tenantId) => catalogue.setPrice(tenantId, itemId, minor),
    placeOrder(checkoutId, customerId, methodId, tenantId) {
      return inOneCommit(db, () => {
        const row = rows.checkout(tenantId, checkoutId);
        if (!row) return deny('NOT_FOUND', 'there is no such checkout');
        if (row.order_id !== null) {
          const placed = rows.order(tenantId, row.order_id);
          if (placed?.customerId === customerId) return placed;
        }
        const customer = rows.customer(tenantId, customerId);
        if (row.order_id !== null || customer === null) return deny('NOT_FOUND', 'there is no such checkout');
        const method = customer.paymentMethods.find(({ id }) => id === methodId);
        if (!method) return deny('NO_SUCH_PAYMENT_METHOD', 'this is not a payment method of the customer');
        const { cart } = JSON.parse(row.body) as Checkout;
        for (const { itemId, quantity } of cart.lines) catalogue.addStock(tenantId, itemId, -quantity);
        if (method.kind === 'gift_card') {
          const { balance } = method;
          if (balance === undefined || balance.minor < cart.total.minor)
            return deny('BALANCE_TOO_LOW', 'the gift card does not cover the total');
          const left = plus(balance, { ...cart.total, minor: -cart.total.minor });
          const paymentMethods = customer.paymentMethods.map((it) =>
            it.id === methodId ? { ...it, balance: left } : it,
          );
          rows.writeCustomer(tenantId, { ...customer, paymentMethods });
        }
        const order: Order = {
          id: `#W${checkoutId.slice(0, 12).toUpperCase()}`,
          customerId,
          status: 'pending',
          items: cart.lines.flatMap(({ itemId, productId, name, options, quantity, price }) =>
            Array.from({ length: quantity }, () => ({ itemId, productId, name, options, price })),
          ),
          total: cart.total,
          orderedAt: new Date(now()).toISOString(),
          address: customer.address,
          payments: [{ kind: 'payment', amount: cart.total, methodId }],
          fulfillments: [],
        };
        rows.writeOrder(tenantId, order);
        db.prepare('update checkouts set order_id = ? where tenant = ? and id = ?').run(
          order.id,
          tenantId,
          checkoutId,
        );
        carts.clear(tenantId, row.owner);
        state.note('order', order.id, {
          principal: { tenantId },
          sessionId: row.session,
          runId: row.run,
          callId: row.call,
        });
        return order;
      });
    },
  };
}

interface CheckoutRow {
  owner: string;
  body: string;
  order_id: string | null;
  session: string;
  run: string;
  call: string;
}

/** Customers and orders of the file, as the models have them. */
export class CustomerRows {
  readonly #db: ShopFile;

  constructor(db: ShopFile) {
    this.#db = db;
  }

  customer(tenant: number, id: string): Customer | null {
    const found = this.#read<Customer>('select body from customers where tenant = ? and id = ?', tenant, id);
    return found[0] ?? null;
  }

  /** Nobody when a question fits more than one. */
  find(tenant: number, query: CustomerQuery): Customer | null {
    if (query.by === 'id') return this.customer(tenant, query.customerId);
    const found: Customer[] =
      query.by === 'email'
        ? this.#read('select body from customers where tenant = ? and email = ?', tenant, folded(query.email))
        : this.#read(
            'select body from customers where tenant = ? and name = ? and zip = ?',
            tenant,
            nameKey(query),
            query.zip.trim(),
          );
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  order(tenant: number, id: string): Order | null {
    return this.#read<Order>('select body from orders where tenant = ? and id = ?', tenant, id)[0] ?? null;
  }

  orders(tenant: number, customer: string): Order[] {
    const sql = 'select body from orders where tenant = ? and customer = ? order by place desc';
    return this.#read(sql, tenant, customer);
  }

  writeCustomer(tenant: number, customer: Customer): void {
    const { id, email, address } = customer;
    this.#db
      .prepare('insert or replace into customers values (?, ?, ?, ?, ?, ?)')
      .run(tenant, id, folded(email), nameKey(customer), address.zip, JSON.stringify(customer));
  }

  writeOrder(tenant: number, order: Order): void {
    this.#db
      .prepare(
        `insert into orders values (@tenant, @id, @customer,
           (select coalesce(max(place), 0) + 1 from orders where tenant = @tenant and customer = @customer), @body)
         on conflict do update set body = excluded.body`,
      )
      .run({ tenant, id: order.id, customer: order.customerId, body: JSON.stringify(order) });
  }

  checkout(tenant: number, id: string): CheckoutRow | undefined {
    return this.#db
      .prepare<[number, string], CheckoutRow>('select * from checkouts where tenant = ? and id = ?')
      .get(tenant, id);
  }

  #read<T>(sql: string, ...values: unknown[]): T[] {
    return this.#db
      .prepare<unknown[], string>(sql)
      .pluck()
      .all(...values)
      .map((body) => JSON.parse(body));
  }
}

function folded(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

function nameKey({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return JSON.stringify([folded(firstName), folded(lastName)]);
}
