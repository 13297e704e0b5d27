import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { driversFolder, lockFileOf, socketPathOf } from '../../src/cluster/driver-files.ts';
import { createEmbeddedBus } from '../../src/engine/bus.ts';
import { Neighbours } from '../../src/engine/ownership.ts';
import { openStore } from '../../src/runtime/parts/store.ts';
import type { DriverRow } from '../../src/store/rows.ts';
import { raw } from '../store/support.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { type Cluster, describeCluster, type Member, startDriver } from './conformance.ts';

interface FileCluster extends Cluster {
  file: string;
}

async function openCluster(folder?: string): Promise<FileCluster> {
  const file = join(folder ?? (await temporaryWorkspace()), 'detent.db');
  return {
    file,
    async member() {
      const opened = await openStore({}, file);
      onTestFinished(() => opened.close());
      return opened;
    },
    otherProcess: () => startDriver(file),
    removeSigns({ name, address }) {
      rmSync(lockFileOf(file, name));
      rmSync(address ?? '');
    },
  };
}

describeCluster('locks and sockets beside a file', openCluster);

async function joined(cluster: FileCluster): Promise<Member & { row: DriverRow }> {
  const member = await cluster.member();
  const epoch = await member.ownership.join();
  const row = await member.store.query('findDriver', { epoch });
  return { ...member, row: row as DriverRow };
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the signs of life of a process', () => {
  it('are a lock and a socket that only their user can open', async () => {
    const cluster = await openCluster();
    const { row } = await joined(cluster);
    expect(mode(driversFolder(cluster.file))).toBe('700');
    expect(mode(lockFileOf(cluster.file, row.name))).toBe('600');
    expect(mode(row.address ?? '')).toBe('600');
    expect(dirname(row.address ?? '')).toBe(driversFolder(cluster.file));
  });

  it('are gone when it leaves', async () => {
    const cluster = await openCluster();
    const opened = await openStore({}, cluster.file);
    await opened.ownership.join();
    expect(readdirSync(driversFolder(cluster.file))).toHaveLength(2);
    await opened.close();
    expect(readdirSync(driversFolder(cluster.file))).toEqual([]);
  });

  it('are cleared away when another buries it', async () => {
    const cluster = await openCluster();
    const { store, ownership } = await joined(cluster);
    const { epoch, kill } = await cluster.otherProcess();
    const other = (await store.query('findDriver', { epoch })) as DriverRow;
    await kill();
    expect(existsSync(lockFileOf(cluster.file, other.name))).toBe(true);
    await new Neighbours(store, ownership, { now: () => 50 }).alive();
    expect(existsSync(lockFileOf(cluster.file, other.name))).toBe(false);
    expect(existsSync(other.address ?? '')).toBe(false);
  });

  it('that cannot be made keep it from driving, with words that say which folder', async () => {
    const cluster = await openCluster();
    const member = await cluster.member();
    writeFileSync(driversFolder(cluster.file), 'in the way');
    const refused = {
      code: 'DATABASE_UNUSABLE',
      message: expect.stringContaining(driversFolder(cluster.file)),
    };
    await expect(member.ownership.join()).rejects.toMatchObject(refused);
    rmSync(driversFolder(cluster.file));
    expect(await member.ownership.join()).toBeGreaterThan(0);
  });

  it('are gone again when its row cannot be written', async () => {
    const cluster = await openCluster();
    const member = await cluster.member();
    const change = (sql: string) => raw(cluster.file, (db) => db.exec(sql));
    change(
      "insert into kysely_migration (name, timestamp) values ('9999_newer', ''); create table newer (n)",
    );
    await expect(member.ownership.join()).rejects.toMatchObject({ code: 'DATABASE_NEWER' });
    expect(readdirSync(driversFolder(cluster.file))).toEqual([]);
    change("delete from kysely_migration where name = '9999_newer'; drop table newer");
    expect(await member.ownership.join()).toBeGreaterThan(0);
    expect(readdirSync(driversFolder(cluster.file))).toHaveLength(2);
  });

  it('mean that it lives, either of them alone', async () => {
    const cluster = await openCluster();
    const [a, b, c] = [await joined(cluster), await joined(cluster), await joined(cluster)];
    rmSync(lockFileOf(cluster.file, a.row.name));
    expect(await c.ownership.isDead(a.row)).toBe(false);
    rmSync(b.row.address ?? '');
    expect(await c.ownership.isDead(b.row)).toBe(false);
    rmSync(a.row.address ?? '');
    expect(await c.ownership.isDead(a.row)).toBe(true);
  });

  it('have a socket elsewhere where the path beside the database is too long', async () => {
    const folder = join(await temporaryWorkspace(), 'a'.repeat(60), 'b'.repeat(60));
    mkdirSync(folder, { recursive: true });
    const cluster = await openCluster(folder);
    const [a, b] = [await joined(cluster), await joined(cluster)];
    expect(Buffer.byteLength(a.row.address ?? '')).toBeLessThanOrEqual(103);
    expect(dirname(a.row.address ?? '')).not.toBe(driversFolder(cluster.file));
    expect(mode(dirname(a.row.address ?? ''))).toBe('700');
    expect(mode(a.row.address ?? '')).toBe('600');
    expect(await b.ownership.isDead(a.row)).toBe(false);
    const looked = Promise.withResolvers<void>();
    a.hints.listen(() => looked.resolve(), createEmbeddedBus());
    b.hints.send(a.row.epoch);
    await looked.promise;
  });

  it('are its lock alone where no socket can be made', async () => {
    const folder = join(await temporaryWorkspace(), 'a'.repeat(60), 'b'.repeat(60));
    mkdirSync(folder, { recursive: true });
    const cluster = await openCluster(folder);
    const was = process.env.TMPDIR;
    // Elsewhere the path is too long as well.
    process.env.TMPDIR = folder;
    try {
      expect(socketPathOf(cluster.file, 'drv_a')).toBeNull();
      const [a, b] = [await joined(cluster), await joined(cluster)];
      expect(a.row.address).toBeNull();
      expect(await b.ownership.isDead(a.row)).toBe(false);
      b.hints.send(a.row.epoch);
      rmSync(lockFileOf(cluster.file, a.row.name));
      expect(await b.ownership.isDead(a.row)).toBe(true);
    } finally {
      if (was === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = was;
    }
  });
});

describe('the socket of a process', () => {
  /** Says something to a socket, and resolves when the other side ends the connection. */
  const ended = (address: string | null, said: string): Promise<void> => {
    const socket = connect(address ?? '');
    socket.on('error', () => {});
    socket.resume().write(said);
    return new Promise((resolve) => void socket.once('close', () => resolve()));
  };

  it('hears nobody who lacks its token, and nothing that is no message', async () => {
    const cluster = await openCluster();
    const { hints, row } = await joined(cluster);
    let looks = 0;
    hints.listen(() => looks++, createEmbeddedBus());
    const wrong = 'f'.repeat(row.token.length);
    for (const said of [
      `${JSON.stringify({ token: wrong, look: true })}\n`,
      `${JSON.stringify({ look: true })}\n`,
      `${JSON.stringify({ token: 7, look: true })}\n`,
      `${JSON.stringify([row.token])}\n`,
      'garbage\n',
      '\n',
      'null\n',
      '\u0000\u0001\n',
      'x'.repeat(1_100_000),
    ])
      await ended(row.address, said);
    expect(looks).toBe(0);
    const other = await cluster.member();
    const looked = Promise.withResolvers<void>();
    hints.listen(() => looked.resolve(), createEmbeddedBus());
    other.hints.send(row.epoch);
    await looked.promise;
  });

  it('hears none of the words behind a wrong one', async () => {
    const cluster = await openCluster();
    const { hints, row } = await joined(cluster);
    let looks = 0;
    hints.listen(() => looks++, createEmbeddedBus());
    await ended(row.address, `garbage\n${JSON.stringify({ token: row.token, look: true })}\n`);
    expect(looks).toBe(0);
  });
});
