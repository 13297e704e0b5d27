import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import { programFile } from '../../support/program.ts';
import { populate } from '../conformance/everything.ts';
import { driverInput, put, readAll, withRuns } from '../rows.ts';
import { expectCode, opened, raw, temporaryFile } from '../support.ts';

describe('a SQLite database that is opened again', () => {
  it('has everything that was committed', async () => {
    const file = await temporaryFile();
    const first = await openSqlite({ file });
    await populate(first);
    const before = await readAll(first);
    await first.close();
    expect(await readAll(await opened({ file }))).toEqual(before);
  });

  it('goes on numbering where it was', async () => {
    const file = await temporaryFile();
    const first = await openSqlite({ file });
    await populate(first);
    await first.close();
    const second = await opened({ file });
    expect(await put(second, 'insertDriver', driverInput())).toEqual({ epoch: 3 });
    expect(await put(second, 'insertSession', { tenant: 1, key: 's2', user: null, at: 6 })).toEqual({
      pk: 2,
    });
  });

  it('has every commit that was acknowledged before kill -9', async () => {
    const file = await temporaryFile();
    const child = spawn(process.execPath, [programFile('test/store/sql/children/drive'), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === 50) child.kill('SIGKILL');
    }
    const events = await (await opened({ file })).query('listEvents', { run: 1, after: 0, limit: 10_000 });
    expect(acknowledged).toBeGreaterThanOrEqual(50);
    expect(events.length).toBeGreaterThanOrEqual(acknowledged);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(raw(file, (db) => db.pragma('integrity_check', { simple: true }))).toBe('ok');
  });
});

describe('a SQLite database that is opened for reading', () => {
  it('follows a live writer', async () => {
    const file = await temporaryFile();
    const writer = await opened({ file });
    await withRuns(writer);
    const reader = await opened({ file, readonly: true });
    expect(await readAll(reader)).toEqual(await readAll(writer));
    await put(writer, 'countFault', { pk: 1 });
    expect(await reader.query('loadRun', { tenant: 1, id: 'r1' })).toMatchObject({ faults: 1 });
  });

  it('refuses every change', async () => {
    const file = await temporaryFile();
    await withRuns(await opened({ file }));
    const reader = await opened({ file, readonly: true });
    await expectCode(put(reader, 'countFault', { pk: 1 }), 'DATABASE_READONLY');
    await expectCode(reader.query('countFault', { pk: 1 }), 'DATABASE_READONLY');
    const both = [1, 2].map(() => put(reader, 'countFault', { pk: 1 }));
    for (const one of both) await expectCode(one, 'DATABASE_READONLY');
  });

  it('needs no writer', async () => {
    const file = await temporaryFile();
    const writer = await openSqlite({ file });
    await withRuns(writer);
    await writer.close();
    const reader = await opened({ file, readonly: true });
    expect(await reader.query('listRuns', { tenant: 1, limit: 9 })).toHaveLength(1);
  });

  it('is not made when it does not exist', async () => {
    const file = await temporaryFile();
    await expectCode(openSqlite({ file, readonly: true }), 'DATABASE_UNUSABLE');
    expect(await readdir(dirname(file))).toEqual([]);
  });
});

describe('what a SQLite commit survives', () => {
  it.each([
    ['power loss by default', {}, 2],
    ['a killed process when asked for speed', { synchronous: 'NORMAL' }, 1],
  ] as const)('is %s', async (_, options, level) => {
    const pragma = vi.spyOn(Sqlite.prototype, 'pragma');
    await opened({ file: await temporaryFile(), ...options });
    const [handle] = pragma.mock.contexts as Sqlite.Database[];
    pragma.mockRestore();
    expect(handle?.pragma('synchronous', { simple: true })).toBe(level);
    expect(handle?.pragma('journal_mode', { simple: true })).toBe('wal');
  });
});
