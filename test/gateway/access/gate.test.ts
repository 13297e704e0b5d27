import { expect, it } from 'vitest';
import { Gate } from '../../../src/gateway/access/gate.ts';
import { Logins } from '../../../src/gateway/access/logins.ts';
import { defaultLimits } from '../../../src/gateway/gateway-options.ts';
import { calmReport } from '../../../src/gateway/socket/failure.ts';
import { scripted } from '../../support/detent.ts';

const request = new Request('http://localhost/');
const code = (error: { code: string }) => error.code;

function gate(now = () => 0) {
  return new Gate({
    tokens: { check: async () => null, countFailure: async () => true, now: () => Date.now() },
    tenantNamed: async () => 2,
    own: [],
    hosts: ['api.shop.example'],
    origins: ['https://shop.example'],
    limits: { ...defaultLimits, failuresPerMinute: 2 },
    report: () => {},
    now,
  });
}

it.each([
  ['an address of IPv4', '10.0.0.1', '10.0.0.2', false],
  ['one of IPv4 written as IPv6', '::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
  [
    'a network of IPv6, of which one customer has 2^64 addresses',
    '2001:db8:1:2::1',
    '2001:db8:1:2:ffff::9',
    true,
  ],
  ['two networks of IPv6', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['the loopback of IPv6', '::1', '::2', true],
])('counts failures of %s', async (_, first, second, isOne) => {
  const it = gate();
  for (let i = 0; i < 2; i++)
    expect(await it.letIn(`x${i}`, request, first).catch(code)).toBe('UNAUTHORIZED');
  expect(await it.letIn('y', request, first).catch(code)).toBe('TOO_MANY_REQUESTS');
  expect(await it.letIn('y', request, second).catch(code)).toBe(isOne ? 'TOO_MANY_REQUESTS' : 'UNAUTHORIZED');
});

it('lets an address try again after a while', async () => {
  let now = 0;
  const it = gate(() => now);
  for (let i = 0; i < 3; i++) await it.letIn(`x${i}`, request, 'a').catch(code);
  expect(await it.letIn('y', request, 'a').catch(code)).toBe('TOO_MANY_REQUESTS');
  now = 60_000;
  expect(await it.letIn('y', request, 'a').catch(code)).toBe('UNAUTHORIZED');
});

it('forgets the oldest addresses', async () => {
  const it = gate();
  for (let i = 0; i < 60_000; i++)
    await it.countFailure(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`).catch(code);
  await it.countFailure('10.0.0.0');
  await it.countFailure('10.0.0.0');
  await expect(it.countFailure('10.0.0.0')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
});

it('takes a login code for five minutes, and keeps a hundred', async () => {
  const { detent } = await scripted([]);
  let now = 0;
  const logins = new Logins(detent, () => now);
  const old = logins.newCode();
  now += 5 * 60_000;
  expect(await logins.exchange(old).catch(code)).toBe('UNAUTHORIZED');
  const codes = Array.from({ length: 101 }, () => logins.newCode());
  expect(await logins.exchange(codes[0] ?? '').catch(code)).toBe('UNAUTHORIZED');
  const { expiresAt } = await logins.exchange(codes[1] ?? '');
  expect(expiresAt - Date.now()).toBeGreaterThan(11 * 60 * 60_000);
});

it.each(['api.shop.example', 'API.shop.example:8443', 'localhost:7420', '127.0.0.1', '[::1]:3000'])(
  'answers under its own names and those of the loopback, such as %s',
  (host) => expect(() => gate().checkHost(host)).not.toThrow(),
);

it('reports each refused host once a minute, and not without bound', () => {
  let now = 0;
  const lines: string[] = [];
  const report = calmReport(
    (error) => lines.push((error as Error).message),
    () => now,
  );
  const ask = (host: string) => {
    try {
      gate().checkHost(host);
    } catch (error) {
      report(error);
    }
  };
  for (let i = 0; i < 3; i++) ask('evil.example');
  expect(lines).toEqual([expect.stringContaining('"evil.example"')]);
  now = 60_000;
  for (let i = 0; i < 1_000; i++) ask(`h${i}.example`);
  expect(lines).toHaveLength(51);
});
