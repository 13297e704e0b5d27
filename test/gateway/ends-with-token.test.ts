import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDetent } from '../../src/index.ts';
import { closeCodes } from '../../src/protocol/frames.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { scripted, temporaryWorkspace } from '../support/detent.ts';
import { open as openSocket, ticketUrl } from './inspect/support.ts';
import { type Served, serve } from './support.ts';

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
    const served = await serve(detent, { limits: { heartbeatMs: 3_600_000, drainMs: 100 } });
    const { id, token } = await detent.tokens.create({
      scopes: ['read', 'write'],
      ...(by === 'its time' && { expiresAt: clock.now() + 1000 }),
    });
    const world = { ...served, shown: token, runId: await detent.run('Wait').started };
    const open = new Map<string, Promise<unknown>>();
    for (const [name, opens] of Object.entries(opened)) {
      const { begun, ended } = opens(world);
      open.set(
        name,
        ended.then(() => open.delete(name)),
      );
      await begun;
    }
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
