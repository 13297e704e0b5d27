import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import type { FeedEvent } from '../../../src/index.ts';
import { type FrameClient, served } from '../support.ts';

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
  expect(await http('/api/v1/feed?after=-1')).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('>=0') },
  });
  expect((await http('/api/v1/events', { token: null })).status).toBe(401);
});

describe('the feed of a client', () => {
  it('has each transition once, also when its connection breaks', async () => {
    const { detent, url, token, server } = await served(Array.from({ length: 3 }, () => ({ text: 'ok' })));
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const client = createClient({ url, token: await token(), reconnect: { minMs: 10 } });
    onTestFinished(() => client.close());
    const feed = client.feed({ after: 0 });
    const next = async (from = feed) => (await from.next()).value?.cursor;
    const waiting = next();
    await expect.poll(() => client.state).toBe('open');
    // The feed begins when it is first asked for: what ends before the client's question arrives is not in it.
    await detent.runs.feed();
    await detent.run('go').result;
    expect([await waiting, await next()]).toEqual([1, 2]);
    const later = next();
    const before = sockets.length;
    for (const socket of sockets) socket.destroy();
    await detent.run('go').result;
    expect([await later, await next()]).toEqual([3, 4]);
    expect(sockets.length).toBeGreaterThan(before);
    // Each reader has a place of its own.
    const behind = client.feed({ after: 1 });
    const fromNow = client.feed();
    expect([await next(behind), await next(behind), await next(behind)]).toEqual([2, 3, 4]);
    await detent.run('go').result;
    expect([await next(behind), await next(fromNow), await next()]).toEqual([5, 5, 5]);
    client.close();
    await expect(next(fromNow).then(() => next(fromNow))).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('begins now, unless it is said where, and stops when nobody reads it', async () => {
    const { detent, url, token, http } = await served([{ text: 'ok' }, { text: 'ok' }]);
    const client = createClient({ url, token: await token() });
    onTestFinished(() => client.close());
    await http('/api/v1/feed');
    await detent.run('go').result;
    const feed = client.feed();
    // Its answer comes behind that of the feed.
    await client.runs();
    const { runId } = await detent.run('go').result;
    expect((await feed.next()).value).toMatchObject({ cursor: 3, runId, seq: 1 });
    expect((await feed.next()).value).toMatchObject({ cursor: 4, ended: true });
    await feed.return?.();
    expect(await feed.next()).toMatchObject({ done: true });
    const again = client.feed({ after: 2 });
    expect((await again.next()).value).toMatchObject({ cursor: 3, runId });
  });

  it('says why it ends', async () => {
    const { url, token } = await served([]);
    const client = createClient({ url, token: await token({ scopes: ['write'] }) });
    onTestFinished(() => client.close());
    await expect(client.feed().next()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('the feed over a WebSocket', () => {
  const moved = (client: FrameClient) =>
    client.events.flatMap((frame) => (frame.event === 'run.moved' ? [frame.payload] : []));

  it('is pushed: each transition once, to each its own, from a place on', async () => {
    const { detent, token, connect } = await served(Array.from({ length: 3 }, () => ({ text: 'ok' })));
    const [all, own, again] = [
      await connect(),
      await connect(await token({ userId: 'ann' })),
      await connect(),
    ];
    expect(await all.ask('feed.subscribe')).toEqual({ cursor: 0 });
    await own.ask('feed.subscribe', { after: 0 });
    const { runId } = await detent.run('go').result;
    const anns = await detent.run('go', { principal: { tenantId: 1, userId: 'ann' } }).result;
    await expect.poll(() => moved(all).length).toBe(4);
    expect(moved(all).map(({ cursor, runId }) => [cursor, runId])).toEqual([
      [1, runId],
      [2, runId],
      [3, anns.runId],
      [4, anns.runId],
    ]);
    await expect.poll(() => moved(own).map(({ cursor }) => cursor)).toEqual([3, 4]);
    await again.ask('feed.subscribe', { after: 3 });
    await expect.poll(() => moved(again).map(({ cursor }) => cursor)).toEqual([4]);
    expect(await all.ask('feed.unsubscribe')).toEqual({ subscribed: true });
    expect(await all.ask('feed.unsubscribe')).toEqual({ subscribed: false });
    await detent.run('go').result;
    await expect.poll(() => moved(again).length).toBe(3);
    expect(moved(all)).toHaveLength(4);
  });

  it('has one place among the subscriptions of a connection', async () => {
    const { connect } = await served([], {}, { limits: { maxSubscriptions: 1 } });
    const client = await connect();
    await client.ask('feed.subscribe');
    await client.ask('feed.subscribe', { after: 0 });
    expect(await client.refused('run.subscribe', { runId: 'run_none' })).toMatchObject({ code: 'NOT_FOUND' });
    const detail = await client.ask('feed.unsubscribe');
    expect(detail).toEqual({ subscribed: true });
  });
});

it('is looked at once for all that wait for it', async () => {
  const { detent, connect, url, token } = await served([]);
  await detent.runs.feed();
  const shown = await token();
  const client = await connect();
  await client.ask('feed.subscribe');
  for (let i = 0; i < 20; i++) {
    const left = new AbortController();
    onTestFinished(() => left.abort());
    const headers = { authorization: `Bearer ${shown}` };
    await fetch(`${url}/api/v1/events`, { headers, signal: left.signal });
  }
  const looks = vi.spyOn(detent.runs, 'feed');
  onTestFinished(() => looks.mockRestore());
  await expect.poll(() => looks.mock.calls.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  const seen = looks.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  // 21 readers that each look by themselves would have asked 84 times.
  expect(looks.mock.calls.length - seen).toBeLessThan(21);
});
