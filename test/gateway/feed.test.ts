import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import type { FeedEvent } from '../../src/index.ts';
import { served } from './support.ts';

/** Reads server-sent events until there are as many. */
async function events(url: string, token: string, count: number, lastId?: string) {
  const left = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...(lastId && { 'last-event-id': lastId }) };
  const response = await fetch(`${url}/api/v1/events`, { headers, signal: left.signal });
  const found: { id: string; data: FeedEvent }[] = [];
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    for (const one of whole) {
      const [, id, data] = /^id: (\d+)\nevent: run\.moved\ndata: (.*)$/.exec(one) ?? [];
      if (id !== undefined && data !== undefined) found.push({ id, data: JSON.parse(data) });
    }
    if (found.length >= count) break;
  }
  left.abort();
  return found;
}

it('tells of all runs of the tenant, goes on behind the last event, and tells a user of their own alone', async () => {
  const { detent, url, token, http } = await served(Array.from({ length: 4 }, () => ({ text: 'ok' })));
  const whole = await token();
  const own = await token({ scopes: ['read'], userId: 'ann' });
  await detent.runs.feed();
  const live = events(url, whole, 4, '0');
  const first = await detent.run('go', { principal: { tenantId: 1, userId: 'ann' } }).result;
  const second = await detent.run('go').result;
  const found = await live;
  expect(found.map(({ data }) => [data.runId, data.seq])).toEqual([
    ...[1, 2].map((seq) => [first.runId, seq]),
    ...[1, 2].map((seq) => [second.runId, seq]),
  ]);
  const again = await events(url, whole, 2, found[1]?.id);
  expect(again).toEqual(found.slice(2));
  expect((await events(url, own, 2, '0')).map(({ data }) => data.runId)).toEqual([first.runId, first.runId]);
  const page = await http('/api/v1/feed?after=0', { token: own });
  expect(page.body).toMatchObject({
    events: [{ runId: first.runId }, { ended: true }],
    cursor: 4,
    more: false,
  });
  expect((await http('/api/v1/feed?after=-1')).status).toBe(400);
  expect((await http('/api/v1/events', { token: null })).status).toBe(401);
});

/** What a program does that follows the feed with a client. */
async function* follow(client: Client, after: number): AsyncGenerator<FeedEvent> {
  for (;;) {
    const page = await client.request('feed.list', { after, waitMs: 25_000 });
    yield* page.events;
    after = page.cursor;
  }
}

it('reaches a client over its connection, each transition once, also when that breaks', async () => {
  const { detent, url, token, server } = await served([{ text: 'ok' }, { text: 'ok' }]);
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const client = createClient({ url, token: await token(), reconnect: { minMs: 10 } });
  onTestFinished(() => client.close());
  const feed = follow(client, 0);
  const next = async () => (await feed.next()).value?.cursor;
  const waiting = next();
  await expect.poll(() => client.state).toBe('open');
  await detent.run('go').result;
  expect([await waiting, await next()]).toEqual([1, 2]);
  const later = next();
  const before = sockets.length;
  for (const socket of sockets) socket.destroy();
  await detent.run('go').result;
  expect([await later, await next()]).toEqual([3, 4]);
  expect(sockets.length).toBeGreaterThan(before);
});
