import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import Sqlite from 'better-sqlite3';
import { expect } from 'vitest';
import { copiedTables } from '../../../src/store/copy/rows.ts';
import { restored } from '../../../src/store/postgres/texts.ts';
import { copyDatabase, openPostgres } from '../../../src/store/postgres.ts';
import { administer, newDatabase } from '../../support/postgres.ts';
import { programFile } from '../../support/program.ts';
import { inSizes } from '../../support/size.ts';
import { expectCode } from '../support.ts';

type Dump = Record<string, string[]>;

/** Every row of a file, by table. */
export function rowsOfFile(file: string): Dump {
  const db = new Sqlite(file, { readonly: true });
  // A program may keep tables of its own there.
  const dump = [...copiedTables, 'sqlite_sequence'].map(
    (name) => [name, sorted(db.prepare<[], Row>(`select * from "${name}"`).all())] as const,
  );
  db.close();
  return Object.fromEntries(dump);
}

type Row = Record<string, string | number | null>;

const sorted = (rows: readonly Row[]) =>
  rows.map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();

/** Every row of a server that a file has a table for. */
async function rowsOfServer(url: string, tables: readonly string[]): Promise<Dump> {
  const dump: Dump = {};
  for (const table of tables) {
    const [found] = await administer(url, `select * from "${table}"`);
    const isNumber = new Set(
      found?.fields.flatMap(({ name, dataTypeID }) => (dataTypeID === 20 ? [name] : [])),
    );
    const rows = found?.rows.map((row: Row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value !== 'string' ? value : isNumber.has(name) ? Number(value) : restored(value),
        ]),
      ),
    );
    dump[table] = sorted(rows ?? []);
  }
  return dump;
}

/** Copies in another process, which is killed as soon as it has copied so many tables. */
async function killedCopy(from: string, to: string, tables: number): Promise<void> {
  const path = programFile('test/store/copy/children/copy');
  const child = spawn(process.execPath, [path, from, to], { stdio: ['ignore', 'pipe', 'inherit'] });
  let copied = 0;
  const exit = once(child, 'exit');
  for await (const _ of createInterface({ input: child.stdout }))
    if (++copied === tables) child.kill('SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);
}

/** The runs that another process leaves in a database when it is killed: one that waits for a person, and one in the midst of a call. */
export async function leftBehind(
  place: string,
  workspace: string,
): Promise<{ waits: string; looks: string }> {
  const path = programFile('test/store/copy/children/shop');
  const child = spawn(process.execPath, [path, place, workspace], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let left = { waits: '', looks: '' };
  for await (const line of createInterface({ input: child.stdout })) {
    left = JSON.parse(line);
    child.kill('SIGKILL');
  }
  expect(await exit).toEqual([null, 'SIGKILL']);
  return left;
}

/**
 * Copies a file into a server and from there into another file, each so often killed, and expects every row there each time.
 *
 * @returns the address of the copy
 */
export async function expectCopies(file: string, kills: number): Promise<string> {
  const url = await newDatabase();
  const original = rowsOfFile(file);
  for (let kill = 1; kill <= kills; kill++) {
    await killedCopy(file, url, 1 + (kill % 8));
    await expectCode(openPostgres({ url }), 'DATABASE_UNFINISHED');
  }
  await copyDatabase(file, url);
  const { sqlite_sequence: _, ...rows } = original;
  expect(await rowsOfServer(url, Object.keys(rows))).toEqual(rows);
  const back = `${file}.back`;
  for (let kill = 1; kill <= inSizes({ usual: 0, deep: kills, full: kills }); kill++)
    await killedCopy(url, back, 1 + (kill % 8));
  await copyDatabase(url, back);
  expect(rowsOfFile(back)).toEqual(original);
  return url;
}
