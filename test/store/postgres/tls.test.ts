import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connectionTo } from '../../../src/store/postgres/connection.ts';
import { openPostgres } from '../../../src/store/postgres.ts';
import { describeDeep } from '../../support/deep.ts';
import { describeWith } from '../../support/needs.ts';
import { newDatabase, startPostgres } from '../../support/postgres.ts';
import { expectCode, temporaryFolder } from '../support.ts';

/** Opens a database with settings of TLS behind its address, and says its error. */
const opened = async (url: string, settings: string) => {
  const store = await openPostgres({ url: `${url}?${settings}` });
  await store.close();
};

it('a server without TLS, and a certificate that is not there, are no reason to wait', async () => {
  const url = await newDatabase();
  await expectCode(opened(url, 'sslmode=verify-full'), 'DATABASE_UNUSABLE');
  await expectCode(opened(url, 'sslmode=verify-full&sslrootcert=/nowhere.pem'), 'DATABASE_UNUSABLE');
});

it.each([
  ['?sslmode=require', '?sslmode=verify-full'],
  ['?a=b&sslmode=prefer&c=d', '?a=b&sslmode=verify-full&c=d'],
  ['?sslmode=require&uselibpqcompat=true', '?sslmode=require&uselibpqcompat=true'],
  ['?sslmode=disable', '?sslmode=disable'],
  ['', ''],
])('of the settings %j are read as %j, as the driver does with a warning', (typed, read) => {
  const address = 'postgres://ann:sslmode=require@db:5432/runs';
  expect(connectionTo(`${address}${typed}`).connectionString).toBe(`${address}${read}`);
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describeDeep('a server with TLS', () => {
  describeWith(
    hasOpenssl,
    'there is no openssl',
    true,
  )('of openssl', () => {
    it('is spoken to when the address trusts its certificate', async () => {
      const folder = await temporaryFolder();
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const of = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
      const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...of];
      expect(spawnSync('openssl', made).status).toBe(0);
      const server = await startPostgres({
        key: readFileSync(key, 'utf8'),
        cert: readFileSync(cert, 'utf8'),
      });
      onTestFinished(() => server.stop());
      const url = server.url('postgres').replace('127.0.0.1', 'localhost');
      await opened(url, `sslmode=verify-full&sslrootcert=${cert}`);
      await opened(url, `sslmode=require&sslrootcert=${cert}`);
      await opened(url, 'sslmode=no-verify');
      await expectCode(opened(url, 'sslmode=verify-full'), 'DATABASE_UNUSABLE');
      await expectCode(
        opened(url.replace('localhost', '127.0.0.1'), `sslmode=require&sslrootcert=${cert}`),
        'DATABASE_UNUSABLE',
      );
    });
  });
});
