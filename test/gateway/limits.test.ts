import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { GatewayLimits } from '../../src/gateway/gateway-options.ts';
import type { Caller } from '../../src/protocol/access.ts';
import { gate, scripted } from '../support/detent.ts';
import { listening } from '../support/listening.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { openSocket, served } from './support.ts';

/** A gateway with limits of its own, whose model answers once `asked` is open. */
async function limited(limits: Partial<GatewayLimits>, runs = 4) {
  const asked = gate();
  const answer = (_: unknown, { signal }: { signal: AbortSignal }) =>
    asked.pass(signal).then(() => ({ text: 'Good day.' }));
  const world = await served(
    Array.from({ length: runs }, () => answer),
    {},
    { limits: { drainMs: 50, ...limits } },
  );
  return { ...world, asked };
}

describe('connections of one user', () => {
  it('are limited, and another user has its own', async () => {
    const { connect, url, token } = await limited({ maxConnectionsPerUser: 2 });
    const [first] = await Promise.all([
      connect(await token({ userId: 'ada' })),
      connect(await token({ userId: 'ada' })),
    ]);
    const third = await openSocket(url);
    expect(await third.refused('connect', { token: await token({ userId: 'ada' }) })).toMatchObject({
      code: 'TOO_MANY_CONNECTIONS',
      retryable: true,
    });
    expect((await third.closed).code).toBe(4429);
    await connect(await token({ userId: 'bob' }));
    await connect(await token());
    first.close();
    await first.closed;
    await connect(await token({ userId: 'ada' }));
  });

  it('are those of a token, where it is bound to no user', async () => {
    const { connect, url, token } = await limited({ maxConnectionsPerUser: 1 });
    const mine = await token();
    await connect(mine);
    const second = await openSocket(url);
    expect(await second.refused('connect', { token: mine })).toMatchObject({ code: 'TOO_MANY_CONNECTIONS' });
    await connect(await token());
  });

  it('count event streams, which are refused with 429 and may come again', async () => {
    const { detent, http, connect, token, asked } = await limited({ maxConnectionsPerUser: 1 });
    const mine = await token();
    const { runId } = (await http('/api/v1/runs', { method: 'POST', body: { prompt: 'hello' } })).body;
    const client = await connect(mine);
    const refused = await http(`/api/v1/runs/${runId}/events`, { token: mine });
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_CONNECTIONS', retryable: true } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    client.close();
    await client.closed;
    asked.open();
    await detent.runs.attach(String(runId)).result;
    // Streams that have ended give their place back.
    for (let i = 0; i < 3; i++)
      expect((await http(`/api/v1/runs/${runId}/events`, { token: mine })).status).toBe(200);
  });
});

it('of one address the oldest WebSocket that has not said who it is goes, and those of others stay', async () => {
  const { url } = await limited({ maxStrangersPerAddress: 2 });
  const strangers = [await openSocket(url), await openSocket(url), await openSocket(url)];
  expect((await strangers[0]?.closed)?.code).toBe(1008);
  for (const stranger of strangers.slice(1)) expect(stranger.socket.readyState).toBe(1);
});

it('an address of IPv6 is a whole network, as for failed logins', async () => {
  const { detent } = await scripted([]);
  const gateway = createGateway(detent, { limits: { maxStrangersPerAddress: 2 } });
  const server = createServer();
  serveWebSockets(server, gateway, { address: ({ headers }) => String(headers['x-real-ip']) });
  const url = await listening(server);
  onTestFinished(async () => {
    await gateway.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const from = (address: string) => openSocket(url, { 'x-real-ip': address });
  const other = await from('2001:db8:1:3::1');
  const first = await from('2001:db8:1:2::1');
  await from('2001:db8:1:2::2');
  await from('2001:db8:1:2::3');
  expect((await first.closed).code).toBe(1008);
  expect(other.socket.readyState).toBe(1);
});

describe('a run that its connection cannot watch', () => {
  it('does not begin', async () => {
    const { connect, detent } = await limited({ maxSubscriptions: 1 });
    const client = await connect();
    await client.ask('agent.run', { prompt: 'one' });
    const refused = await client.refused('agent.run', { prompt: 'two' });
    expect(refused).toMatchObject({ code: 'TOO_MANY_SUBSCRIPTIONS' });
    expect(await detent.runs.list()).toHaveLength(1);
    await client.ask('agent.run', { prompt: 'three', subscribe: false });
    expect(await detent.runs.list()).toHaveLength(2);
  });

  it('does not begin beside one that took the last place at the same time', async () => {
    const { connect, detent } = await limited({ maxSubscriptions: 1 });
    const client = await connect();
    const both = await Promise.all(['a', 'b'].map((prompt) => client.request('agent.run', { prompt })));
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await detent.runs.list()).toHaveLength(1);
  });

  it('leaves its place to others when it is refused for another reason', async () => {
    const { connect } = await limited({ maxSubscriptions: 1 });
    const client = await connect();
    for (let i = 0; i < 3; i++)
      expect(await client.refused('agent.run', { prompt: 'x', agent: 'nobody' })).toMatchObject({
        code: 'UNKNOWN_AGENT',
      });
    await client.ask('agent.run', { prompt: 'one' });
  });
});

it.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hello' }] }],
  ['/v1/responses', { input: 'hello' }],
])('a run whose answer cannot be streamed over %s does not begin', async (path, body) => {
  const { connect, detent, http, token, asked } = await limited({ maxConnectionsPerUser: 1 });
  const mine = await token();
  const client = await connect(mine);
  const post = (more: object) =>
    http(path, { method: 'POST', token: mine, body: { model: 'default', stream: true, ...body, ...more } });
  const refused = await post({});
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'TOO_MANY_CONNECTIONS' } } });
  expect(await detent.runs.list()).toEqual([]);
  client.close();
  await client.closed;
  // A run that does not begin gives the place of its stream back.
  expect((await post({ model: 'nobody' })).status).toBe(404);
  asked.open();
  expect((await post({})).status).toBe(200);
});

describe('runs at work of one user', () => {
  it('are limited, and one that has ended makes room', async () => {
    const { http, connect, token, asked, detent } = await limited({ maxRunsPerUser: 1 });
    const adas = await token({ userId: 'ada' });
    const start = (shown: string) =>
      http('/api/v1/runs', { method: 'POST', body: { prompt: 'hello' }, token: shown });
    const first = await start(adas);
    expect(first.status).toBe(202);
    const refused = await start(adas);
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_RUNS', retryable: true } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    const phone = await connect(await token({ userId: 'ada' }));
    expect(await phone.refused('agent.run', { prompt: 'hello' })).toMatchObject({ code: 'TOO_MANY_RUNS' });
    expect((await start(await token({ userId: 'bob' }))).status).toBe(202);
    expect(await detent.runs.list()).toHaveLength(2);
    asked.open();
    await detent.runs.attach(String(first.body.runId)).result;
    expect((await start(adas)).status).toBe(202);
  });

  it('are made once for a key, and asking again needs no room', async () => {
    const { http, token, asked } = await limited({ maxRunsPerUser: 1 });
    const [adas, bobs] = [await token({ userId: 'ada' }), await token({ userId: 'bob' })];
    const start = async (key: string, shown = adas, prompt = 'hello') => {
      const headers = { 'idempotency-key': key };
      const { status, body } = await http('/api/v1/runs', {
        method: 'POST',
        body: { prompt },
        token: shown,
        headers,
      });
      return { status, of: body.runId ?? body.code };
    };
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => start('a')));
    expect(first?.status).toBe(202);
    expect(others).toEqual(others.map(() => first));
    expect(await start('a')).toEqual(first);
    expect(await start('a', adas, 'bye')).toEqual({ status: 409, of: 'IDEMPOTENCY_CONFLICT' });
    const refused = await Promise.all([start('b'), start('b')]);
    expect(refused).toEqual(refused.map(() => ({ status: 429, of: 'TOO_MANY_RUNS' })));
    // The same key of another user names another run.
    expect((await start('a', bobs)).of).not.toBe(first?.of);
    asked.open();
  });

  it('of a workflow are made once for a key, too', async () => {
    const workflows = [orderWorkflow];
    const { http } = await served(
      [() => new Promise(() => {})],
      { workflows },
      { limits: { maxRunsPerUser: 1 } },
    );
    const start = async (key: string) => {
      const headers = { 'idempotency-key': key };
      const body = { input: { order: 'o1' } };
      return http('/api/v1/workflows/order/runs', { method: 'POST', body, headers });
    };
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => start('a')));
    expect(first?.status).toBe(202);
    expect(others.map(({ body }) => body)).toEqual(others.map(() => first?.body));
  });

  it('are as many as their token says', async () => {
    const { http, detent } = await limited({ maxRunsPerUser: 1 });
    const { token: more } = await detent.tokens.create({ scopes: ['write'], userId: 'ada', maxRuns: 2 });
    const { token: usual } = await detent.tokens.create({ scopes: ['write'], userId: 'bob' });
    const start = async (token: string) =>
      (await http('/api/v1/runs', { method: 'POST', body: { prompt: 'hello' }, token })).status;
    expect([await start(more), await start(more), await start(more)]).toEqual([202, 202, 429]);
    expect([await start(usual), await start(usual)]).toEqual([202, 429]);
  });

  it.each([0, -1, 1.5, '2', null])('are never as many as an odd maxRuns of the host: %s', async (maxRuns) => {
    const authenticate = () =>
      ({ tenantId: 1, userId: 'ada', scopes: ['write'], maxRuns }) as unknown as Caller;
    const { http, detent } = await served([], {}, { authenticate, onError: () => {} });
    const { status } = await http('/api/v1/runs', { method: 'POST', body: { prompt: 'x' }, token: 'any' });
    expect(status).toBe(403);
    expect(await detent.runs.list()).toEqual([]);
  });

  it('that were refused take no place', async () => {
    const { http, token, asked } = await limited({ maxRunsPerUser: 1 });
    const adas = await token({ userId: 'ada' });
    const start = (body: object) => http('/api/v1/runs', { method: 'POST', body, token: adas });
    for (let i = 0; i < 3; i++) expect((await start({ prompt: 'x', agent: 'nobody' })).status).toBe(400);
    expect((await start({ prompt: 'x' })).status).toBe(202);
    asked.open();
  });

  it('include forks that go on at once', async () => {
    const { http, token, asked, detent } = await limited({ maxRunsPerUser: 1 });
    const adas = await token({ userId: 'ada' });
    const post = (path: string, body: object) => http(path, { method: 'POST', body, token: adas });
    const { runId } = (await post('/api/v1/runs', { prompt: 'hello' })).body;
    const fork = (resume: boolean) => post(`/api/v1/runs/${runId}/forks`, { at: 0, resume });
    expect(await fork(true)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_RUNS' } });
    expect((await fork(false)).status).toBe(201);
    expect(await detent.runs.list()).toHaveLength(2);
    asked.open();
  });
});

describe('an output schema of a client', () => {
  const evil = '^(a+)+$';

  it('cannot keep the gateway busy: an answer that takes too long to validate does not fit', async () => {
    const answer = { output: `${'a'.repeat(60)}!` };
    const { connect, detent } = await served([answer, answer]);
    const client = await connect();
    const output = { type: 'string', pattern: evil };
    const { runId } = await client.ask('agent.run', { prompt: 'go', output });
    await client.saw(({ event }) => event.startsWith('lifecycle.e'));
    expect(await client.ask('run.get', { runId })).toMatchObject({ outcome: 'invalid_output' });
    expect(JSON.stringify(await detent.runs.why(String(runId)))).toContain('takes too long');
  });

  it.each<[string, object]>([
    ['too large', { type: 'string', enum: ['x'.repeat(70_000)] }],
    ['too deep', Array.from({ length: 110 }).reduce<object>((items) => ({ items }), { type: 'string' })],
    ['with a bad pattern', { type: 'string', pattern: '(' }],
    ['with a bad reference', { type: 'object', properties: { a: { $ref: '#/%' } } }],
  ])('is refused when it is %s', async (_, output) => {
    const { connect, detent } = await served([]);
    const client = await connect();
    expect(await client.refused('agent.run', { prompt: 'go', output })).toMatchObject({
      code: 'INVALID_OUTPUT_SCHEMA',
    });
    expect(await detent.runs.list()).toEqual([]);
  });
});

it('names of tools and skills with many stars do not keep the gateway busy', async () => {
  const { connect } = await served([{ text: 'Good day.' }]);
  const client = await connect();
  const names = [`${'*'.repeat(150)}!`, `${'*a'.repeat(90)}!`];
  const { runId } = await client.ask('agent.run', { prompt: 'go', tools: names, skills: names });
  await client.saw(({ event }) => event.startsWith('lifecycle.e'));
  expect(await client.ask('run.get', { runId })).toMatchObject({ status: 'done' });
});
