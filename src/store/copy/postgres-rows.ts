import pg from 'pg';
import { DetentError } from '../../protocol/error.ts';
import { shownDatabase } from '../../text/wording.ts';
import { connectionTo } from '../postgres/connection.ts';
import { postgresError } from '../postgres/errors.ts';
import { copyTable, isThere, migrate, refuseCopy, refuseWhileDriven, schemaOf } from '../postgres/migrate.ts';
import { SilentConnections } from '../postgres/silent-connections.ts';
import { restored, storable } from '../postgres/texts.ts';
import { goodbye } from '../postgres/wire.ts';
import type { TableName } from '../rows.ts';
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

/** The lock of a copy: any number that nobody else uses. */
const lock = 0x64_65_75;

/** How long the server may say nothing until it is asked whether it is at work. */
const usualSilentMs = 5_000;

/** The rows of a PostgreSQL database. */
class PostgresRows implements Rows {
  readonly place: string;
  protected readonly client: pg.Client;
  readonly #end: () => Promise<void>;
  readonly #keys = new Map<TableName, readonly string[]>();

  constructor({ client, end }: Connected, place: string) {
    this.client = client;
    this.#end = end;
    this.place = place;
  }

  async check(): Promise<void> {
    const { client, place } = this;
    await refuseCopy(client, place);
    const { schema } = await schemaOf(client, place);
    if (schema === 'new') throw new DetentError('NOT_FOUND', `there is nothing of Detent in ${place}`);
    await migrate(client, place, true);
  }

  async tables(): Promise<readonly TableName[]> {
    const rows = await this.ask<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = current_schema()',
    );
    return rows.map(({ name }) => name).filter(isTable);
  }

  async keyOf(table: TableName): Promise<readonly string[]> {
    const known = this.#keys.get(table);
    if (known) return known;
    const rows = await this.ask<{ name: string }>(
      `select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
        where indisprimary and indrelid = $1::regclass order by array_position(indkey::int2[], attnum)`,
      [`"${table}"`],
    );
    const names = rows.map(({ name }) => name);
    this.#keys.set(table, names);
    return names;
  }

  async after(table: TableName, key: Values | null): Promise<Values[]> {
    const names = quoted(await this.keyOf(table));
    const columns = quoted(columnsIn(table));
    const behind = key === null ? '' : `where (${names}) > (${key.map((_, n) => `$${n + 1}`).join(', ')})`;
    return this.values(
      `select ${columns} from (
        select *, sum(octet_length(t::text)) over (order by ${names} rows between unbounded preceding and 1 preceding) as "before"
          from (select ${columns} from "${table}" ${behind} order by ${names} limit ${slice.rows}) as t
      ) as t where coalesce("before", 0) < ${slice.characters} order by ${names}`,
      (key ?? []).map(stored),
    );
  }

  async count(table: TableName): Promise<number> {
    const [row] = await this.ask<{ n: number }>(`select count(*) as n from "${table}"`);
    return row?.n ?? 0;
  }

  async lastKeys(): Promise<LastKeys> {
    const last = { sessions: 0, runs: 0, drivers: 0, commands: 0 };
    for (const table of countedTables) {
      const column = countedKeys[table];
      const [row] = await this.ask<{ n: number }>(
        `select greatest(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), max("${column}"), 0) as n from "${table}"`,
        [`"${table}"`, column],
      );
      last[table] = row?.n ?? 0;
    }
    return last;
  }

  close(): Promise<void> {
    return this.#end();
  }

  protected async ask<R extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<R[]> {
    try {
      return (await this.client.query<R>(sql, values)).rows;
    } catch (error) {
      throw postgresError(error, this.place);
    }
  }

  protected async values(text: string, values: unknown[]): Promise<Values[]> {
    try {
      const { rows } = await this.client.query<(string | number | null)[]>({
        text,
        values,
        rowMode: 'array',
      });
      return rows.map((row) => row.map((value) => (typeof value === 'string' ? restored(value) : value)));
    } catch (error) {
      throw postgresError(error, this.place);
    }
  }
}

const stored = (value: Values[number]) => (typeof value === 'string' ? storable(value) : value);

/** Rows of some columns, as JSON: PostgreSQL makes of it rows of the table. */
const asJson = (columns: readonly string[], rows: readonly Values[]) =>
  JSON.stringify(
    rows.map((row) => Object.fromEntries(columns.map((name, n) => [name, stored(row[n] ?? null)]))),
  );

interface Connected {
  client: pg.Client;
  end(): Promise<void>;
}

/** A connection that breaks when the server has vanished. @param silentMs as for a store */
async function connected(url: string, silentMs = usualSilentMs): Promise<Connected> {
  const newClient = () => new pg.Client({ ...connectionTo(url), application_name: 'detent copy' });
  const client = newClient();
  client.on('error', () => {});
  const silent = new SilentConnections(newClient, silentMs);
  const end = async () => {
    silent.stop();
    await goodbye(client);
  };
  try {
    await client.connect();
    silent.watchQuestions(client);
    return { client, end };
  } catch (error) {
    await end();
    throw postgresError(error, shownDatabase(url));
  }
}

/** A database as it is now, whatever others write meanwhile. @throws DetentError as the store does. */
export async function openServerRows(url: string, silentMs?: number): Promise<Rows> {
  const server = await connected(url, silentMs);
  try {
    await server.client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return new PostgresRows(server, shownDatabase(url));
  } catch (error) {
    await server.end();
    throw postgresError(error, shownDatabase(url));
  }
}

/** A database in which nobody else copies meanwhile. */
export async function postgresTarget(url: string, silentMs?: number): Promise<CopyTarget> {
  const place = shownDatabase(url);
  const server = await connected(url, silentMs);
  try {
    const { rows } = await server.client.query<{ isFree: boolean }>(
      'select pg_try_advisory_lock($1) as "isFree"',
      [lock],
    );
    if (rows[0]?.isFree) return new PostgresTarget(server, place);
    throw new DetentError('DATABASE_BUSY', `another process copies into ${place}: wait for it to end`, {
      retryable: true,
    });
  } catch (error) {
    await server.end();
    throw postgresError(error, place);
  }
}

class PostgresTarget extends PostgresRows implements CopyTarget {
  async begin(source: string): Promise<boolean> {
    const { client, place } = this;
    try {
      if (await isThere(client, copyTable)) {
        await this.#isOf(source);
        await migrate(client, place, false);
        return true;
      }
      if ((await schemaOf(client, place)).schema !== 'new') await refuseWhileDriven(client, place);
      await migrate(client, place, false);
      await client.query('BEGIN');
      await this.#refuseFilled();
      await client.query(
        `create table ${copyTable} (name text collate "C" primary key, cursor text not null)`,
      );
      await client.query(`insert into ${copyTable} values ('', $1)`, [storable(source)]);
      await client.query('delete from tenants');
      await client.query('COMMIT');
      return false;
    } catch (error) {
      throw postgresError(error, place);
    }
  }

  async cursor(table: TableName | ''): Promise<string | null> {
    const [row] = await this.ask<{ cursor: string }>(`select cursor from ${copyTable} where name = $1`, [
      table,
    ]);
    return row?.cursor ?? null;
  }

  async put(table: TableName, rows: readonly Values[], cursor: string): Promise<void> {
    const columns = columnsIn(table);
    await this.ask(
      `with put as (
        insert into "${table}" (${quoted(columns)})
          select ${quoted(columns)} from json_populate_recordset(null::"${table}", $1::json)
          on conflict (${quoted(await this.keyOf(table))}) do nothing
      ) insert into ${copyTable} values ($2, $3) on conflict (name) do update set cursor = excluded.cursor`,
      [asJson(columns, rows), table, cursor],
    );
  }

  async having(table: TableName, keys: readonly Values[]): Promise<Values[]> {
    const names = await this.keyOf(table);
    const columns = columnsIn(table).map((name) => `t."${name}"`);
    return this.values(
      `select ${columns.join(', ')} from "${table}" as t join json_populate_recordset(null::"${table}", $1::json) as wanted using (${quoted(names)})`,
      [asJson(names, keys)],
    );
  }

  kept(value: Values[number]): Values[number] {
    return value;
  }

  async clear(): Promise<void> {
    const deletes = copiedTables.toReversed().map((table) => `delete from "${table}"`);
    await this.ask(`begin; ${deletes.join('; ')}; delete from ${copyTable} where name <> ''; commit`);
  }

  async finish(last: LastKeys): Promise<void> {
    for (const table of countedTables)
      await this.ask(
        'select setval(pg_get_serial_sequence($1, $2), greatest($3::bigint, 1), $3::bigint > 0)',
        [`"${table}"`, countedKeys[table], last[table]],
      );
    await this.ask("select setval(pg_get_serial_sequence('tenants', 'id'), (select max(id) from tenants))");
    // What the planner knows of a table comes later by itself: too late for the first commands.
    for (const table of copiedTables) await this.ask(`analyze "${table}"`);
    await this.ask(`drop table ${copyTable}`);
  }

  async #isOf(source: string): Promise<void> {
    const of = restored((await this.cursor('')) ?? '');
    if (of === source) return;
    throw new DetentError(
      'DATABASE_NOT_EMPTY',
      `${this.place} holds a part of a copy of ${of}: finish that copy, or name another database`,
    );
  }

  async #refuseFilled(): Promise<void> {
    for (const table of copiedTables) {
      const others = table === 'tenants' ? 'where id <> 1' : '';
      const found = await this.ask(`select 1 from "${table}" ${others} limit 1`);
      if (found.length > 0)
        throw new DetentError(
          'DATABASE_NOT_EMPTY',
          `${this.place} has rows already (${table}): name an empty database`,
        );
    }
  }
}
