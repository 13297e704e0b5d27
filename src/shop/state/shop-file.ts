import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import { databaseError } from '../../store/sqlite.ts';
import { makePrivateFile, makePrivateFolder } from '../../text/files.ts';
import type { ShopCall } from '../shop-api.ts';

interface Prepared<Params extends unknown[], Row> {
  get(...params: Params): Row | undefined;
  all(...params: Params): Row[];
  run(...params: Params): { changes: number };
  pluck(): this;
}

/**
 * The shop's own SQLite file. Every row has a tenant. It is what is used of better-sqlite3, whose types a program with a shop need not
 * have.
 */
export interface ShopFile {
  prepare<Params extends unknown[] = unknown[], Row = unknown>(sql: string): Prepared<Params, Row>;
  transaction<T>(work: () => T): { (): T; immediate(): T };
  exec(sql: string): unknown;
  close(): unknown;
}

const busyMs = 10_000;

const tables = `
create table if not exists identities (tenant integer, session text, customer text, user text, primary key (tenant, session)) without rowid;
create table if not exists agreements (tenant integer, session text, change text, user text, primary key (tenant, session, change)) without rowid;
create table if not exists guesses (tenant integer, who text, user text, wrong integer not null, at integer not null, primary key (tenant, who)) without rowid;
create table if not exists begun (tenant integer, key text, change text not null, primary key (tenant, key)) without rowid;
create table if not exists item_changes (tenant integer, order_id text, key text not null, primary key (tenant, order_id)) without rowid;
create table if not exists answers (
  tenant integer, key text, request text not null, answer text not null, user text, primary key (tenant, key)
) without rowid;
create table if not exists happenings (
  id integer primary key, tenant integer not null, at integer not null, kind text not null, session text not null,
  run text not null, call text not null, what text not null, user text
);
create index if not exists happenings_at on happenings (tenant, at);
create table if not exists shops (tenant integer primary key, currency text not null, version integer not null);
create table if not exists products (tenant integer, id text, body text not null, primary key (tenant, id)) without rowid;
create table if not exists variants (
  tenant integer, id text, product text not null, place integer not null, price integer not null, available integer not null,
  stock integer check (stock >= 0), options text not null, primary key (tenant, id)
) without rowid;
create index if not exists variants_product on variants (tenant, product, place);
create table if not exists customers (
  tenant integer, id text, email text not null, name text not null, zip text not null, body text not null,
  primary key (tenant, id)
) without rowid;
create index if not exists customers_email on customers (tenant, email);
create index if not exists customers_name on customers (tenant, name, zip);
create table if not exists orders (tenant integer, id text, customer text not null, place integer not null, body text not null, primary key (tenant, id)) without rowid;
create index if not exists orders_customer on orders (tenant, customer, place);
create table if not exists coupons (tenant integer, code text, body text not null, primary key (tenant, code)) without rowid;
create table if not exists carts (tenant integer, owner text, coupon text, primary key (tenant, owner)) without rowid;
create table if not exists cart_lines (
  tenant integer, owner text, item text, place integer not null, quantity integer not null check (quantity between 1 and 99),
  primary key (tenant, owner, item)
) without rowid;
create table if not exists cart_sessions (tenant integer, session text, owner text not null, primary key (tenant, session)) without rowid;
create table if not exists checkouts (
  tenant integer, id text, owner text not null, body text not null, order_id text, session text not null, run text not null,
  call text not null, primary key (tenant, id)
) without rowid;
create table if not exists remote_carts (
  tenant integer, owner text, cart text, version integer not null, pending text, tries integer not null, primary key (tenant, owner)
) without rowid;
create table if not exists remote_checkouts (
  place integer primary key, tenant integer not null, id text not null, owner text not null, unique (tenant, id)
);
`;

/** The tables whose rows say of which user of a host they are; null for a session of nobody. */
export const ofUsers = ['identities', 'agreements', 'answers', 'happenings', 'guesses'] as const;

/** A file of before has rows of nobody. */
function nameUsers(db: Sqlite.Database, table: string): void {
  const has = db.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, 'user');
  if (has === undefined) db.exec(`alter table ${table} add column user text`);
}

/**
 * Opens the file, and makes it where there is none. `:memory:` for one that is gone with its owner.
 *
 * @throws DetentError `DATABASE_FOREIGN`, and as the database of runs does.
 */
export function openShopFile(file: string): ShopFile {
  let db: Sqlite.Database | undefined;
  try {
    if (file !== ':memory:') makePrivateFolder(dirname(file));
    db = new Sqlite(file, { timeout: busyMs });
    refuseForeign(db, file);
    // Only now: a file that was named by mistake keeps its permissions.
    if (file !== ':memory:') makePrivateFile(file);
    return withTables(db);
  } catch (error) {
    db?.close();
    throw databaseError(error, file);
  }
}

function refuseForeign(db: Sqlite.Database, file: string): void {
  const names = db.prepare("select name from sqlite_master where type = 'table'").pluck().all();
  if (names.length > 0 && !names.includes('identities'))
    throw new DetentError(
      'DATABASE_FOREIGN',
      `${file} is a database of something else than a shop; name another file (shop.file)`,
      { details: { file } },
    );
}

function withTables(db: Sqlite.Database): Sqlite.Database {
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  // What is deleted of a user is overwritten.
  db.pragma('secure_delete = on');
  // One commit: each of its own would wait for the disk.
  inOneCommit(db, () => {
    db.exec(tables);
    for (const table of ofUsers) nameUsers(db, table);
  });
  return db;
}

/** Performs `work` whole or not at all, with no other writer beside it. */
export function inOneCommit<T>(db: ShopFile, work: () => T): T {
  return db.transaction(work).immediate();
}

/** Whose a cart is: the user's, on all devices; the conversation's where there is no user. */
export function ownerOf({ principal: { userId }, sessionId }: ShopCall): string {
  return userId === null ? `session ${sessionId}` : ownedBy(userId);
}

/** The owner of a user's carts. */
export const ownedBy = (user: string): string => `user ${user}`;
