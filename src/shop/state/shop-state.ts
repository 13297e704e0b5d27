import { randomUUID } from 'node:crypto';
import { deny } from '../rules/denied.ts';
import type { ShopCall, ShopWrite } from '../shop-api.ts';
import { Guesses } from './guesses.ts';
import { inOneCommit, ofUsers, type ShopFile } from './shop-file.ts';

/** What happened in conversations, for the report. */
type Happening = 'call' | 'denied' | 'handover' | 'cart_add' | 'checkout' | 'order';

/** What shops count, of a period. */
export interface ShopSums {
  sessions: number;
  /** Sessions without a hand-over to a person. */
  answeredAlone: number;
  handedOver: number;
  /** Calls of tools of the shop. */
  calls: number;
  /** Those that a rule forbade. */
  denied: number;
  /** Items that the assistant put into carts. */
  cartAdds: number;
  /** Links to pay that the assistant made. */
  checkouts: number;
  /** Orders that were paid by such a link, as far as Detent knows: see {@link DetentShop.ordered}. */
  orders: number;
}

/** Links to pay that a report asks a shop about. */
const maxUnpaid = 200;

/** What the tools keep of conversations, whatever shop is behind them. */
export class ShopState {
  readonly #db: ShopFile;
  readonly #now: () => number;
  readonly guesses: Guesses;

  constructor(db: ShopFile, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.guesses = new Guesses(db, now);
  }

  /** The customer of a conversation; null before anybody was identified. */
  customerOf({ principal, sessionId }: ShopCall): string | null {
    return (
      this.#db
        .prepare<[number, string], string>('select customer from identities where tenant = ? and session = ?')
        .pluck()
        .get(principal.tenantId, sessionId) ?? null
    );
  }

  /** @throws ShopDenied `ANOTHER_CUSTOMER` when the conversation has another one. */
  identify(customer: string, call: ShopCall): void {
    const { principal, sessionId } = call;
    const kept = inOneCommit(this.#db, () => {
      this.#db
        .prepare('insert or ignore into identities values (?, ?, ?, ?)')
        .run(principal.tenantId, sessionId, customer, principal.userId);
      return this.customerOf(call);
    });
    if (kept !== customer) deny('ANOTHER_CUSTOMER', oneCustomer);
  }

  /** That the user agreed to a change which staff must approve, too. */
  agree(change: string, { principal, sessionId }: ShopCall): void {
    this.#db
      .prepare('insert or ignore into agreements values (?, ?, ?, ?)')
      .run(principal.tenantId, sessionId, change, principal.userId);
  }

  hasAgreed(change: string, { principal, sessionId }: ShopCall): boolean {
    return (
      this.#db
        .prepare('select 1 from agreements where tenant = ? and session = ? and change = ?')
        .get(principal.tenantId, sessionId, change) !== undefined
    );
  }

  /** Whether a call under this key has passed the rules with this change before: its repeat asks the shop for the answer. */
  hasBegun(change: string, { principal, key }: ShopWrite): boolean {
    const begun = this.#db
      .prepare<[number, string], string>('select change from begun where tenant = ? and key = ?')
      .pluck()
      .get(principal.tenantId, key);
    return begun === change;
  }

  /**
   * Notes that a change has passed the rules and begins.
   *
   * @param order whose items it changes, which happens once; null for a change of something else.
   * @throws ShopDenied `ALREADY_CHANGED` when another call changes them.
   */
  begin(change: string, order: string | null, { principal: { tenantId }, key }: ShopWrite): void {
    inOneCommit(this.#db, () => {
      if (order !== null) {
        this.#db.prepare('insert or ignore into item_changes values (?, ?, ?)').run(tenantId, order, key);
        const holder = this.#db
          .prepare<[number, string], string>('select key from item_changes where tenant = ? and order_id = ?')
          .pluck()
          .get(tenantId, order);
        if (holder !== key)
          deny('ALREADY_CHANGED', `the items of ${order} have changed once, or are about to`);
      }
      this.#db.prepare('insert or ignore into begun values (?, ?, ?)').run(tenantId, key, change);
    });
  }

  /** The shop refused the change, so it may be asked for again. */
  refused({ principal: { tenantId }, key }: ShopWrite): void {
    inOneCommit(this.#db, () => {
      for (const table of ['item_changes', 'begun'])
        this.#db.prepare(`delete from ${table} where tenant = ? and key = ?`).run(tenantId, key);
    });
  }

  /** Counts what happened in a period, and names the sessions in which it did. */
  sums(tenant: number, from: number, to: number): { sums: ShopSums; sessions: ReadonlySet<string> } {
    const rows = this.#db
      .prepare<unknown[], { kind: Happening; session: string; run: string; call: string }>(
        'select kind, session, run, call from happenings where tenant = ? and at >= ? and at < ?',
      )
      .all(tenant, from, to);
    // What is repeated after a crash is noted again, for the same call.
    const count = (kind: Happening) =>
      new Set(rows.flatMap((row) => (row.kind === kind ? `${row.run} ${row.call}` : []))).size;
    const sessions = new Set(rows.map(({ session }) => session));
    const handedOver = new Set(rows.flatMap(({ kind, session }) => (kind === 'handover' ? session : [])))
      .size;
    return {
      sessions,
      sums: {
        sessions: sessions.size,
        answeredAlone: sessions.size - handedOver,
        handedOver,
        calls: count('call'),
        denied: count('denied'),
        cartAdds: count('cart_add'),
        checkouts: count('checkout'),
        orders: count('order'),
      },
    };
  }

  /** Links to pay of a period from which no order is known, each once. */
  unpaid(
    tenant: number,
    from: number,
    to: number,
  ): { checkoutId: string; user: string | null; session: string }[] {
    return this.#db
      .prepare<unknown[], { checkoutId: string; user: string | null; session: string }>(
        `select what as checkoutId, max(user) as user, max(session) as session from happenings c
         where tenant = ? and kind = 'checkout' and at >= ? and at < ? and not exists (
           select 1 from happenings o where o.tenant = c.tenant and o.kind = 'order' and o.run = c.run and o.call = c.call
         ) group by what order by max(id) desc limit ?`,
      )
      .all(tenant, from, to, maxUnpaid);
  }

  /** An order was paid on the page of a checkout: it counts for the call that made the link last. False if none here did. */
  ordered(tenant: number, checkoutId: string, orderId: string): boolean {
    return inOneCommit(this.#db, () => {
      const made = this.#db
        .prepare<unknown[], { session: string; run: string; call: string; user: string | null }>(
          "select session, run, call, user from happenings where tenant = ? and kind = 'checkout' and what = ? order by id desc limit 1",
        )
        .get(tenant, checkoutId);
      if (!made) return false;
      const isKnown = this.#db
        .prepare("select 1 from happenings where tenant = ? and kind = 'order' and what = ?")
        .get(tenant, orderId);
      if (isKnown) return true;
      const { session: sessionId, run: runId, call: callId, user: userId } = made;
      this.note('order', orderId, { principal: { tenantId: tenant, userId }, sessionId, runId, callId });
      return true;
    });
  }

  /**
   * A guest has become a user: whom the guest's conversations were about must be said again, by the user. Call it within a commit; a repeat
   * changes nothing.
   */
  claim(tenant: number, from: string, to: string): void {
    this.#db.prepare('delete from identities where tenant = ? and user = ?').run(tenant, from);
    for (const table of ofUsers)
      this.#db.prepare(`update ${table} set user = ? where tenant = ? and user = ?`).run(to, tenant, from);
  }

  /** Deletes what says something of a user. What happened is counted on, in sessions without a name. Call it within a commit. */
  forget(tenant: number, user: string): void {
    for (const table of ['identities', 'agreements', 'answers', 'guesses'])
      this.#db.prepare(`delete from ${table} where tenant = ? and user = ?`).run(tenant, user);
    const sessions = this.#db
      .prepare<unknown[], string>('select distinct session from happenings where tenant = ? and user = ?')
      .pluck()
      .all(tenant, user);
    for (const session of sessions) this.#forgetSession(tenant, session);
  }

  /** Calls keep that they were different ones, or the same. */
  #forgetSession(tenant: number, session: string): void {
    const calls = this.#db
      .prepare<unknown[], { run: string; call: string }>(
        'select distinct run, call from happenings where tenant = ? and session = ?',
      )
      .all(tenant, session);
    const update = this.#db.prepare(
      "update happenings set session = ?, run = '', call = ?, user = null where tenant = ? and session = ? and run = ? and call = ?",
    );
    const name = `forgotten ${randomUUID()}`;
    calls.forEach(({ run, call }, n) => {
      update.run(name, `${name} ${n}`, tenant, session, run, call);
    });
  }

  /** The customers that conversations of a user are about. */
  identitiesOf(tenant: number, user: string): { sessionId: string; customerId: string }[] {
    return this.#db
      .prepare<unknown[], { sessionId: string; customerId: string }>(
        'select session as sessionId, customer as customerId from identities where tenant = ? and user = ?',
      )
      .all(tenant, user);
  }

  note(
    kind: Happening,
    what: string,
    at: {
      principal: { tenantId: number; userId?: string | null };
      sessionId: string;
      runId: string;
      callId: string;
    },
  ): void {
    this.#db
      .prepare(
        'insert into happenings (tenant, at, kind, session, run, call, what, user) values (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        at.principal.tenantId,
        this.#now(),
        kind,
        at.sessionId,
        at.runId,
        at.callId,
        what,
        at.principal.userId ?? null,
      );
  }
}

export const oneCustomer =
  'this conversation is about another customer, and about one only: for someone else, begin a new conversation';
