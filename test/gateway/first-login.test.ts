import { describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { Authenticate } from '../../src/gateway/index.ts';
import { scripted } from '../support/detent.ts';
import { served } from './support.ts';

/** A host whose tokens say, as JSON, who shows them. */
const authenticate: Authenticate = (token) => ({
  userId: 'ada',
  scopes: ['read', 'write'],
  ...JSON.parse(Buffer.from(token, 'base64url').toString()),
});
const tokenOf = (said: object) => Buffer.from(JSON.stringify(said)).toString('base64url');

const world = async () => {
  const { detent, http } = await served([{ text: 'hello' }], {}, { authenticate, onError: () => {} });
  const names = async () => (await detent.tenants.list()).map(({ name }) => name);
  return { detent, names, list: (said: object) => http('/api/v1/runs', { token: tokenOf(said) }) };
};

describe('the first login of a tenant', () => {
  it('makes it without a workspace, once, and others find it', async () => {
    const { detent, names, list } = await world();
    const before = await names();
    const logins = await Promise.all(Array.from({ length: 5 }, () => list({ tenant: 'tea-house' })));
    expect(logins.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await list({ tenant: 'tea-house' })).status).toBe(200);
    expect(await names()).toEqual([...before, 'tea-house']);
    const made = await detent.tenants.find('tea-house');
    expect(made).toMatchObject({ id: before.length + 1, workspace: null });
    // By its number, too, as before.
    expect((await list({ tenantId: made?.id })).status).toBe(200);
  });

  it('is that of one tenant in two gateways of a database at once', async () => {
    const { detent } = await scripted([]);
    const gateways = [1, 2].map(() => createGateway(detent, { authenticate }));
    const request = () =>
      new Request('http://localhost/api/v1/runs', {
        headers: { authorization: `Bearer ${tokenOf({ tenant: 'twice' })}`, host: 'localhost' },
      });
    const answers = await Promise.all(gateways.map((gateway) => gateway.handler(request())));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await detent.tenants.list()).filter(({ name }) => name === 'twice')).toHaveLength(1);
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });

  it.each([
    { tenant: '1' },
    { tenant: '2' },
    { tenant: '' },
    { tenant: 'ACME' },
    { tenant: null },
    { tenant: 7 },
    { tenant: ['a'] },
    { tenant: 'a', tenantId: 2 },
    { tenantId: 0 },
    {},
    { tenant: 'a', userId: undefined },
    { tenant: 'a', userId: '' },
    { tenant: 'a', scopes: [] },
    { tenant: 'a', sees: 'all' },
    { tenant: 'a', agents: 'support' },
    { tenant: 'a', agents: null },
    { tenant: 'a', workflows: [1] },
    { tenant: 'a', name: '' },
  ])('lets nobody in, and makes nothing, for %j', async (said) => {
    const { names, list } = await world();
    const before = await names();
    const given = 'userId' in said && said.userId === undefined ? { ...said, userId: 0 } : said;
    expect(await list(given)).toMatchObject({ status: 403, body: { code: 'INVALID_CALLER' } });
    expect(await names()).toEqual(before);
  });

  it('does not make the tenant that a number names, nor give anyone tenant 1 by its name', async () => {
    const { detent, names, list } = await world();
    const before = await names();
    const { http } = await served([], {}, { authenticate });
    const start = { method: 'POST', body: { prompt: 'hi' }, token: tokenOf({ tenantId: 99 }) };
    expect(await http('/api/v1/runs', start)).toMatchObject({
      status: 403,
      body: { code: 'UNKNOWN_TENANT' },
    });
    const own = (await detent.tenants.find(1))?.name ?? '';
    expect(await list({ tenant: own })).toMatchObject({ status: 403, body: { code: 'INVALID_CALLER' } });
    expect(await names()).toEqual(before);
    await expect(detent.tokens.create({ scopes: ['read'], tenantId: 99 })).rejects.toMatchObject({
      code: 'UNKNOWN_TENANT',
    });
  });
});
