import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent, type DetentOptions } from '../../../src/index.ts';
import { fakeClock } from '../../../src/testing/index.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { newDatabase } from '../../support/postgres.ts';
import { serve } from '../support.ts';

const limits = { failuresPerMinute: 4, drainMs: 0 };

type Place = Pick<DetentOptions, 'database' | 'clock'>;

/** A gateway of a process of its own, on a database that it shares. */
async function gatewayOn(place: Place) {
  const detent = createDetent({ workspace: await temporaryWorkspace(), env: {}, ...place });
  onTestFinished(() => detent.close());
  return serve(detent, { limits });
}

const wrong = `tok_x.${'x'.repeat(43)}`;

describe.each([
  ['a file', async () => ({ file: join(await temporaryWorkspace(), 'detent.db') })],
  ['a server', async () => ({ url: await newDatabase() })],
])('two gateways on %s', (_, newPlace) => {
  it('count wrong tokens and login codes of an address together, and let right ones in', async () => {
    const database = await newPlace();
    const [a, b] = [await gatewayOn({ database }), await gatewayOn({ database })];
    const token = await a.token();
    const knock = async ({ http }: typeof a) => (await http('/api/v1/runs', { token: wrong })).status;
    const logIn = async ({ http }: typeof a) =>
      (await http('/api/v1/login', { method: 'POST', body: { code: wrong }, token: null })).status;
    expect(await Promise.all([knock(a), knock(b), logIn(a), logIn(b)])).toEqual([401, 401, 401, 401]);
    expect(await Promise.all([knock(a), knock(b), logIn(a), logIn(b)])).toEqual([429, 429, 429, 429]);
    for (const { http } of [a, b]) expect((await http('/api/v1/runs', { token })).status).toBe(200);
    const { code } = await a.detent.tokens.createLogin();
    expect((await b.http('/api/v1/login', { method: 'POST', body: { code }, token: null })).status).toBe(200);
  });
});

it('an address may try again as time goes by, and after the clock was set back', async () => {
  const clock = fakeClock();
  const database = { file: join(await temporaryWorkspace(), 'detent.db') };
  const { detent } = await gatewayOn({ database, clock });
  const attempts = async (n: number, source = 'a') => {
    let allowed = 0;
    for (let i = 0; i < n; i++) if (await detent.tokens.countFailure(source, 4)) allowed++;
    return allowed;
  };
  expect(await attempts(6)).toBe(4);
  expect(await attempts(1, 'b')).toBe(1);
  await clock.advance(15_000);
  expect(await attempts(6)).toBe(1);
  await clock.advance(60_000);
  expect(await attempts(6)).toBe(4);
  const setBack = createDetent({
    workspace: await temporaryWorkspace(),
    env: {},
    database,
    clock: fakeClock(clock.now() - 3_600_000),
  });
  onTestFinished(() => setBack.close());
  expect(await setBack.tokens.countFailure('a', 4)).toBe(true);
});
