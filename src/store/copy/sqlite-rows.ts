import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import type { TableName } from '../rows.ts';
import { databaseError } from '../sql/errors.ts';
import { migrate, needsMigration, pendingMigrations } from '../sql/migrate.ts';
import {
  type CopyTarget,
  columnsIn,
  copiedTables,
  countedKeys,
  countedTables,
  isTable,
  type LastKeys,
  quoted,
  type Rows,
  slice,
  type Values,
} from './rows.ts';

/** The tables whose greatest deleted key stands in `deleted_keys`; SQLite counts the keys of the others. */
const ofDeleted = ['sessions', 'runs'];

/** The rows of a SQLite file. */
class SqliteRows implements Rows {
  readonly place: string;
  protected readonly db: Sqlite.Database;

  constructor(db: Sqlite.Database, place: string) {
    this.db = db;
    this.place = place;
  }

  async check(): Promise<void> {
    needsMigration(this.db, this.place, true);
  }

  async tables(): Promise<readonly TableName[]> {
    const names = this.db.prepare("select name from sqlite_master where type = 'table'").pluck().all();
    return names.filter((name): name is TableName => typeof name === 'string' && isTable(name));
  }

  async keyOf(table: TableName): Promise<readonly string[]> {
    return this.db
      .prepare<[string], string>('select name from pragma_table_info(?) where pk > 0 order by pk')
      .pluck()
      .all(table) as string[];
  }

  async after(table: TableName, key: Values | null): Promise<Values[]> {
    const names = await this.keyOf(table);
    const behind = key === null ? '' : `where (${quoted(names)}) > (${key.map(() => '?').join(', ')})`;
    const rows = this.db
      .prepare<unknown[], Values>(
        `select ${quoted(columnsIn(table))} from "${table}" ${behind} order by ${quoted(names)} limit ${slice.rows}`,
      )
      .raw();
    const read: Values[] = [];
    let characters = 0;
    for (const row of rows.iterate(...(key ?? [])) as Iterable<Values>) {
      read.push(row);
      for (const value of row) characters += typeof value === 'string' ? value.length : 8;
      if (characters >= slice.characters) break;
    }
    return read;
  }

  async count(table: TableName): Promise<number> {
    return this.number(`select count(*) from "${table}"`);
  }

  async lastKeys(): Promise<LastKeys> {
    const last = { sessions: 0, runs: 0, drivers: 0, commands: 0 };
    for (const table of countedTables) {
      const greatest = this.number(`select max("${countedKeys[table]}") from "${table}"`);
      last[table] = Math.max(greatest, this.given(table));
    }
    return last;
  }

  async close(): Promise<void> {
    this.db.close();
  }

  /** The greatest key that was noted as given. */
  protected given(table: string): number {
    return ofDeleted.includes(table)
      ? this.number('select pk from deleted_keys where name = ?', table)
      : this.number('select seq from sqlite_sequence where name = ?', table);
  }

  protected number(sql: string, ...values: unknown[]): number {
    return (
      (this.db
        .prepare(sql)
        .pluck()
        .get(...values) as number | null | undefined) ?? 0
    );
  }
}

/** A file as it is now, whatever others write meanwhile. @throws DetentError as the store does. */
export function openFileRows(file: string): Rows {
  let db: Sqlite.Database | undefined;
  try {
    db = new Sqlite(file, { readonly: true, fileMustExist: true });
    db.pragma('busy_timeout = 5000');
    db.exec('BEGIN');
    return new SqliteRows(db, file);
  } catch (error) {
    db?.close();
    throw databaseError(error, file);
  }
}

/** A file that nobody else has open. */
export function sqliteTarget(file: string, place: string): CopyTarget {
  let db: Sqlite.Database | undefined;
  try {
    db = new Sqlite(file);
    db.pragma('busy_timeout = 0');
    db.pragma('locking_mode = EXCLUSIVE');
    // Rows are compared at the end, and what they refer to is checked then.
    db.pragma('foreign_keys = OFF');
    migrate(db, file);
    // Takes the lock.
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    return new SqliteTarget(db, place);
  } catch (error) {
    db?.close();
    throw databaseError(error, file);
  }
}

class SqliteTarget extends SqliteRows implements CopyTarget {
  async begin(source: string): Promise<boolean> {
    this.db.exec('create table if not exists detent_copy (name text primary key, cursor text not null)');
    const of = this.db.prepare("select cursor from detent_copy where name = ''").pluck().get();
    if (of !== undefined && of !== source)
      throw new DetentError(
        'DATABASE_NOT_EMPTY',
        `${this.db.name} is an unfinished copy of ${of}: delete it, or finish that copy`,
      );
    this.db.prepare("insert into detent_copy values ('', ?) on conflict do nothing").run(source);
    if (of === undefined) this.db.exec('delete from tenants');
    return of !== undefined;
  }

  async cursor(table: TableName): Promise<string | null> {
    const found = this.db.prepare('select cursor from detent_copy where name = ?').pluck().get(table);
    return typeof found === 'string' ? found : null;
  }

  async put(table: TableName, rows: readonly Values[], cursor: string): Promise<void> {
    const columns = columnsIn(table);
    const insert = this.db.prepare(
      `insert into "${table}" (${quoted(columns)}) values (${columns.map(() => '?').join(', ')})
        on conflict (${quoted(await this.keyOf(table))}) do nothing`,
    );
    const note = this.db.prepare(
      'insert into detent_copy values (?, ?) on conflict (name) do update set cursor = excluded.cursor',
    );
    this.db.transaction(() => {
      for (const row of rows) insert.run(...row);
      note.run(table, cursor);
    })();
  }

  async having(table: TableName, keys: readonly Values[]): Promise<Values[]> {
    const names = await this.keyOf(table);
    const find = this.db
      .prepare(
        `select ${quoted(columnsIn(table))} from "${table}" where ${names.map((name) => `"${name}" = ?`).join(' and ')}`,
      )
      .raw();
    return keys.flatMap((key) => {
      const found = find.get(...key.map((value) => this.kept(value))) as Values | undefined;
      return found ? [found] : [];
    });
  }

  /** SQLite stores no half of a surrogate pair. */
  kept(value: Values[number]): Values[number] {
    return typeof value === 'string' ? value.toWellFormed() : value;
  }

  async clear(): Promise<void> {
    this.db.transaction(() => {
      // Triggers note the keys of deleted rows in another table.
      for (const table of copiedTables.filter((name) => name !== 'deleted_keys'))
        this.db.exec(`delete from "${table}"`);
      this.db.exec("delete from deleted_keys; delete from detent_copy where name <> ''");
    })();
  }

  async finish(last: LastKeys): Promise<void> {
    const [wrong] = this.db.pragma('foreign_key_check') as { table: string; parent: string }[];
    if (wrong)
      throw new DetentError(
        'DATABASE_CORRUPT',
        `a row of ${wrong.table} refers to one of ${wrong.parent} that does not exist; check the original: detent doctor`,
      );
    this.db.transaction(() => {
      for (const table of countedTables) this.#setLast(table, last[table]);
      this.db.exec('drop table detent_copy');
    })();
  }

  #setLast(table: keyof typeof countedKeys, key: number): void {
    const greatest = this.number(`select max("${countedKeys[table]}") from "${table}"`);
    if (key <= Math.max(greatest, this.given(table))) return;
    if (ofDeleted.includes(table))
      this.db
        .prepare('insert into deleted_keys values (?, ?) on conflict (name) do update set pk = excluded.pk')
        .run(table, key);
    else {
      this.db.prepare('delete from sqlite_sequence where name = ?').run(table);
      this.db.prepare('insert into sqlite_sequence values (?, ?)').run(table, key);
    }
  }
}

/** Notes that a file is a copy of a database whose runs may go on there, so none of them is resumed unasked. */
export function noteOrigin(file: string, origin: string): void {
  const db = new Sqlite(file);
  try {
    db.prepare('insert into places (path, first_epoch) values (?, 0)').run(origin);
  } finally {
    db.close();
  }
}

/** What a file says of itself. @throws DetentError `DATABASE_NEWER`, `DATABASE_FOREIGN`, and as the store does. */
export function examineFile(file: string): { version: string; bytes: number; pending: readonly string[] } {
  let db: Sqlite.Database | undefined;
  try {
    db = new Sqlite(file, { readonly: true, fileMustExist: true });
    db.pragma('busy_timeout = 5000');
    return {
      version: db.prepare<[], string>('select sqlite_version()').pluck().get() as string,
      bytes: statSync(file).size,
      pending: pendingMigrations(db, file),
    };
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    db?.close();
  }
}
