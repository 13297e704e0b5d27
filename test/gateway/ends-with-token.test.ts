import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Authenticate } from '../../src/gateway/gateway-options.ts';
import { createDetent } from '../../src/index.ts';
import { closeCodes } from '../../src/protocol/frames.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { itDeep } from '../support/deep.ts';
import { scripted, temporaryWorkspace } from '../support/detent.ts';
import { open as openSocket, ticketUrl } from './inspect/support.ts';
import { type Served, serve, served } from './support.ts';

type World = Served & { shown: string; runId: string };

const post =
  (path: string, body: object) =>
  ({ url, shown }: World) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shown}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
const get =
  (path: (runId: string) => string) =>
  ({ url, shown, runId }: World) =>
    fetch(`${url}${path(runId)}`, { headers: { authorization: `Bearer ${shown}` } });
const hello = { model: 'default', messages: [{ role: 'user', content: 'hi' }] };

/** What a client has open. `begun` resolves once it is; `ended` when it is over, and says how. */
const opened: Record<string, (world: World) => { begun: Promise<unknown>; ended: Promise<unknown> }> = {
  'a WebSocket that only listens': (world) => frames(world, 'run.subscribe', {}),
  'a WebSocket that waits for a run': (world) => frames(world, 'agent.wait', { timeoutMs: 60_000 }),
  'a WebSocket that waits for the feed': (world) => frames(world, 'feed.list', { waitMs: 60_000 }),
  'the events of a run': (world) => streamed(get((runId) => `/api/v1/runs/${runId}/events`)(world)),
  'the events of all runs': (world) => streamed(get(() => '/api/v1/events')(world)),
  'an answer of OpenAI that streams': (world) =>
    streamed(post('/v1/chat/completions', { ...hello, stream: true })(world)),
  'an answer of OpenAI that comes whole': (world) => refused(world, post('/v1/chat/completions', hello)),
  'a request that waits for a run': (world) =>
    refused(
      world,
      get((runId) => `/api/v1/runs/${runId}/wait?timeoutMs=60000`),
    ),
  'a request that waits for the feed': (world) =>
    refused(
      world,
      get(() => '/api/v1/feed?waitMs=60000'),
    ),
  'an inspector of a run': (world) => inspector(world, { runId: world.runId }),
  'an inspector of all runs': (world) => inspector(world, {}),
  'a program that shows actors': (world) => inspector(world, { use: 'send' }),
};

it.each(['this process', 'another process', 'its time'])(
  'all that is open ends with its token, by %s',
  async (by) => {
    const workspace = await temporaryWorkspace();
    const database = { file: join(workspace, 'detent.db') };
    const never = Promise.withResolvers<{ text: string }>();
    onTestFinished(() => never.resolve({ text: 'late' }));
    const clock = fakeClock();
    const script = Array.from({ length: 3 }, () => () => never.promise);
    const { detent } = await scripted(script, { workspace, store: undefined, database, clock });
    // An hour between two signs of life: what ends before ends with the token.
    const gateway = await serve(detent, { limits: { heartbeatMs: 3_600_000, drainMs: 100 } });
    const { id, token } = await detent.tokens.create({
      scopes: ['read', 'write'],
      ...(by === 'its time' && { expiresAt: clock.now() + 1000 }),
    });
    const open = await openAll({ ...gateway, shown: token, runId: await detent.run('Wait').started });
    if (by === 'this process') await detent.tokens.revoke(id);
    else if (by === 'its time') await clock.advance(1000);
    else {
      const other = createDetent({ workspace, database, env: {} });
      onTestFinished(() => other.close());
      await other.tokens.revoke(id);
    }
    await expect.poll(() => [...open.keys()], { timeout: 30_000 }).toEqual([]);
  },
);

it.each(['a word of the host', 'the time that its host stated'])(
  'all that is open with a session of a host ends with it, by %s',
  async (by) => {
    const never = Promise.withResolvers<{ text: string }>();
    onTestFinished(() => never.resolve({ text: 'late' }));
    const sessions = new Map<string, number>();
    const authenticate: Authenticate = (token) => {
      const expiresAt = sessions.get(token);
      const caller = { tenantId: 1, userId: null, name: token, scopes: ['read', 'write'] as const };
      return expiresAt === undefined ? null : { ...caller, expiresAt };
    };
    const limits = { heartbeatMs: 3_600_000, drainMs: 100 };
    const world = await served(
      Array.from({ length: 3 }, () => () => never.promise),
      {},
      { authenticate, limits },
    );
    for (const name of ['out', 'in']) sessions.set(name, Date.now() + 3_600_000);
    const runId = await world.detent.run('Wait').started;
    const client = await world.connect('in');
    const open = await openAll({ ...world, shown: 'out', runId });
    if (by === 'a word of the host') {
      sessions.delete('out');
      await world.gateway.checkTokens(({ name }) => name === 'out');
    } else {
      sessions.set('out', Date.now() + 500);
      // What its host said last counts.
      await world.gateway.checkTokens();
    }
    await expect.poll(() => [...open.keys()], { timeout: 30_000 }).toEqual([]);
    await client.ask('ping');
  },
);

itDeep(
  'a session that its host has given longer goes on, and one that nobody can ask about ends',
  async () => {
    let [asked, isDown] = [0, false];
    const authenticate: Authenticate = () => {
      asked++;
      if (isDown) throw new Error('the directory is down');
      return { tenantId: 1, userId: null, scopes: ['read'], expiresAt: Date.now() + 700 };
    };
    const limits = { heartbeatMs: 3_600_000, drainMs: 100 };
    const { connect } = await served([], {}, { authenticate, limits, onError: () => {} });
    const client = await connect('x');
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(2);
    await client.ask('ping');
    isDown = true;
    expect(await client.closed).toMatchObject({ code: closeCodes.unauthorized });
  },
);

it.each([
  [1, 401],
  [0.5, 403],
  ['2030-01-01', 403],
])('a session of which its host says that it ends at %s is let in nowhere', async (expiresAt, status) => {
  const authenticate = () => ({ tenantId: 1, userId: null, scopes: ['read'] as const, expiresAt });
  const { http } = await served([], {}, { authenticate: authenticate as Authenticate, onError: () => {} });
  expect((await http('/api/v1/runs', { token: 'x' })).status).toBe(status);
});

/** Opens all that there is, and waits until it is open. What has ended is taken out. */
async function openAll(world: World): Promise<Map<string, Promise<unknown>>> {
  const open = new Map<string, Promise<unknown>>();
  for (const [name, opens] of Object.entries(opened)) {
    const { begun, ended } = opens(world);
    open.set(
      name,
      ended.then(() => open.delete(name)),
    );
    await begun;
  }
  return open;
}

/** Ends as one whose token is not valid, with no answer to its request. */
function frames(world: World, method: string, payload: object) {
  const connected = world.connect(world.shown);
  const begun = connected.then(async (client) => {
    void client.request(method, { ...payload, ...(method !== 'feed.list' && { runId: world.runId }) });
    // Whatever waits is under way when the next request is answered.
    await client.ask('ping');
  });
  const ended = connected.then(async (client) =>
    expect(await client.closed).toMatchObject({ code: closeCodes.unauthorized }),
  );
  return { begun, ended };
}

function streamed(response: Promise<Response>) {
  const begun = response.then(({ status }) => expect(status).toBe(200));
  const ended = response.then(async (one) => expect(await one.text()).not.toContain('[DONE]'));
  return { begun, ended };
}

function refused(world: World, ask: (world: World) => Promise<Response>) {
  const arrived = new Promise<void>((resolve) => world.server.once('request', () => resolve()));
  const response = ask(world);
  // Its token is looked at before the method is performed.
  const begun = arrived.then(() => new Promise((resolve) => setTimeout(resolve, 100)));
  const ended = response.then(({ status }) => expect(status).toBe(401));
  return { begun, ended };
}

function inspector(world: World, query: Record<string, string>) {
  const connected = ticketUrl(world, query, world.shown).then((url) => openSocket(url));
  const begun = connected.then(({ status }) => expect(status).toBe(101));
  const ended = connected.then(async ({ closed }) =>
    expect(await closed).toMatchObject({ code: closeCodes.unauthorized }),
  );
  return { begun, ended };
}
