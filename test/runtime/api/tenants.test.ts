import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import { scripted, temporaryWorkspace } from '../../support/detent.ts';

/** A Detent in a folder beside those for tenants. */
async function host(options: DetentOptions = {}) {
  const folder = await temporaryWorkspace();
  const at = (...path: string[]) => join(folder, ...path);
  for (const name of ['main', 'acme', 'acme/sub', 'globex', 'home'])
    await mkdir(at(name), { recursive: true });
  const { detent } = await scripted([{ text: 'hello' }], {
    workspace: at('main'),
    env: { DETENT_HOME: at('home') },
    ...options,
  });
  return { detent, at };
}

it('a tenant has an id, a name and a workspace', async () => {
  const { detent, at } = await host();
  const acme = await detent.tenants.create({ name: 'acme', workspace: at('acme') });
  expect(acme).toEqual({ id: 2, name: 'acme', workspace: at('acme') });
  const guests = await detent.tenants.create({ name: 'guests' });
  expect(guests).toEqual({ id: 3, name: 'guests', workspace: null });
  const first = { id: 1, name: 'default', workspace: at('main') };
  expect(await detent.tenants.list()).toEqual([first, acme, guests]);
  expect(await detent.tenants.find('acme')).toEqual(acme);
  expect(await detent.tenants.find(3)).toEqual(guests);
  expect(await detent.tenants.find('3')).toEqual(guests);
  expect(await detent.tenants.find('nobody')).toBeNull();
  expect(await detent.tenants.find(1.5)).toBeNull();
});

it('a tenant is kept in the database', async () => {
  const { detent, at } = await host({ store: undefined as never });
  await detent.tenants.create({ name: 'acme', workspace: at('acme') });
  await detent.close();
  const { detent: next } = await scripted([], { workspace: at('main'), store: undefined as never });
  expect(await next.tenants.find('acme')).toEqual({ id: 2, name: 'acme', workspace: at('acme') });
});

it.each(['', '2', 'Acme', 'a b', '-a', '../a', 'ä', 'a'.repeat(65), 7, null, undefined])(
  'no tenant is named %j',
  async (name) => {
    const { detent } = await host();
    await expect(detent.tenants.create({ name: name as string })).rejects.toMatchObject({
      code: 'INVALID_TENANT',
    });
  },
);

it('a name is given once, also to requests that come together', async () => {
  const { detent } = await host();
  const both = await Promise.allSettled(['a', 'a'].map((name) => detent.tenants.create({ name })));
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(detent.tenants.create({ name: 'default' })).rejects.toMatchObject({ code: 'TENANT_EXISTS' });
});

it('an unknown field of a tenant is refused, for a restriction may be meant', async () => {
  const { detent } = await host();
  const misspelt = { name: 'a', worksapce: '/srv/a' } as never;
  await expect(detent.tenants.create(misspelt)).rejects.toMatchObject({ code: 'INVALID_TENANT' });
  await expect(detent.tenants.create('acme' as never)).rejects.toMatchObject({ code: 'INVALID_TENANT' });
});

it.each([
  ['does not exist', ['nowhere']],
  ['is a file', ['file']],
  ['is the opened one', ['main']],
  ['is in the opened one', ['main', 'inner']],
  ['has the opened one in it', ['.']],
  ['is that of another tenant', ['acme']],
  ['is in that of another tenant', ['acme', 'sub']],
  ['is a link to that of another tenant', ['to-acme']],
  ['is behind a link into that of another tenant', ['to-acme', 'sub']],
  ["is Detent's own home", ['home']],
  ['is in a folder of the runtime', ['globex', '.detent', 'tenants']],
  ['has the database in it', ['data']],
  ['differs from the opened one in case alone', ['MAIN']],
])('a workspace is refused that %s', async (_, path) => {
  const { detent, at } = await host({ store: undefined as never, database: { file: '../data/runs.db' } });
  await mkdir(at('main/inner'));
  await mkdir(at('MAIN'), { recursive: true });
  await mkdir(at('globex/.detent/tenants'), { recursive: true });
  await writeFile(at('file'), '');
  await symlink(at('acme'), at('to-acme'));
  await detent.tenants.create({ name: 'acme', workspace: at('acme') });
  await expect(detent.tenants.create({ name: 'two', workspace: at(...path) })).rejects.toMatchObject({
    code: 'INVALID_WORKSPACE',
  });
  expect(await detent.tenants.list()).toHaveLength(2);
});

it('of two tenants that are created together only one gets the folder', async () => {
  const { detent, at } = await host();
  const both = await Promise.allSettled([
    detent.tenants.create({ name: 'a', workspace: at('acme') }),
    detent.tenants.create({ name: 'b', workspace: at('acme', 'sub') }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('a workspace is stored by its real path', async () => {
  const { detent, at } = await host();
  await symlink(at('globex'), at('link'));
  const { workspace } = await detent.tenants.create({ name: 'globex', workspace: at('link') });
  expect(workspace).toBe(at('globex'));
});

it('a tenant can get another workspace, or none', async () => {
  const { detent, at } = await host();
  await detent.tenants.create({ name: 'acme', workspace: at('acme') });
  await detent.tenants.create({ name: 'globex' });
  const taken = detent.tenants.setWorkspace('globex', at('acme', 'sub'));
  await expect(taken).rejects.toMatchObject({ code: 'INVALID_WORKSPACE' });
  expect(await detent.tenants.setWorkspace('acme', at('acme', 'sub'))).toMatchObject({
    workspace: at('acme', 'sub'),
  });
  await detent.tenants.setWorkspace(2, null);
  expect(await detent.tenants.setWorkspace('globex', at('acme'))).toMatchObject({ workspace: at('acme') });
  expect(await detent.tenants.find('acme')).toMatchObject({ workspace: null });
  await expect(detent.tenants.setWorkspace('nobody', null)).rejects.toMatchObject({ code: 'UNKNOWN_TENANT' });
  await expect(detent.tenants.setWorkspace(1, at('globex'))).rejects.toMatchObject({
    code: 'INVALID_TENANT',
  });
});

it.each([2, 99, 0, -1])('nothing is made for tenant %i, which does not exist', async (tenantId) => {
  const { detent, at } = await host();
  const unknown = { code: 'UNKNOWN_TENANT' };
  await expect(detent.run('hi', { principal: { tenantId } }).result).rejects.toMatchObject(unknown);
  await expect(detent.memory.write(['a'], { tenantId })).rejects.toMatchObject(unknown);
  await expect(detent.memory.search('a', { tenantId })).rejects.toMatchObject(unknown);
  await expect(detent.sessions.search('a', { tenantId })).rejects.toMatchObject(unknown);
  const log = '{"type":"user.message","text":"a"}';
  await expect(detent.sessions.import(log, { sessionId: 's', tenantId })).rejects.toMatchObject(unknown);
  await expect(detent.sessions.create({ tenantId })).rejects.toMatchObject(unknown);
  await expect(detent.attachments.put('YQ==', { tenantId })).rejects.toMatchObject(unknown);
  expect(await detent.tenants.list()).toMatchObject([{ id: 1, workspace: at('main') }]);
});
