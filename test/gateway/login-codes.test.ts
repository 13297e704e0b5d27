import { expect, it } from 'vitest';
import { served } from './support.ts';

const key = 'k'.repeat(43);

it('gives codes of login links to who shows the key of the gateway', async () => {
  const { http } = await served([], {}, { loginKey: key });
  const { status, body } = await http('/api/v1/login-codes', { method: 'POST', token: key });
  expect([status, body]).toEqual([200, { code: expect.stringMatching(/^[\w-]{43}$/) }]);
  const logIn = () => http('/api/v1/login', { method: 'POST', body, token: null });
  expect([(await logIn()).status, (await logIn()).status]).toEqual([200, 401]);
});

it.each([null, '', 'k', `${key}k`, key.replace('k', 'K')])('gives none for the key %j', async (token) => {
  const { http } = await served([], {}, { loginKey: key });
  expect(await http('/api/v1/login-codes', { method: 'POST', token })).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED' },
  });
});

it('gives none for a token, and none where no key was set', async () => {
  const withKey = await served([], {}, { loginKey: key });
  expect((await withKey.http('/api/v1/login-codes', { method: 'POST' })).status).toBe(401);
  const without = await served([]);
  for (const token of ['', 'null', key])
    expect((await without.http('/api/v1/login-codes', { method: 'POST', token })).status).toBe(401);
});

it('counts wrong keys like wrong tokens', async () => {
  const { http } = await served([], {}, { loginKey: key, limits: { failuresPerMinute: 2 } });
  const knock = async () => (await http('/api/v1/login-codes', { method: 'POST', token: 'wrong' })).status;
  expect([await knock(), await knock(), await knock()]).toEqual([401, 401, 429]);
});
