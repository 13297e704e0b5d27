import { expect } from 'vitest';
import { type Caller, type Scope, scopes } from '../../src/protocol/access.ts';
import { fakeClock, type ScriptLine } from '../../src/testing/index.ts';
import { openSocket, served } from '../gateway/support.ts';
import { gate, tool } from '../support/detent.ts';
import { calls, given, payment, when } from './support.ts';

// What a client may do says its token, and its token alone; every method is there over HTTP and over frames.
// test/gateway asks each method for every scope, tenant and user.

const post = (body: unknown, token?: string, headers?: Record<string, string>) => ({
  method: 'POST',
  body,
  ...(token !== undefined && { token }),
  ...(headers && { headers }),
});

/** A gateway with a run that waits for a person about `pay`. */
async function asked(more: Parameters<typeof served>[1] = {}) {
  const { pay, paid } = payment();
  const world = await served([calls('pay'), { text: 'done' }], { tools: { define: [pay] }, ...more });
  const { runId } = (await world.http('/api/v1/runs', post({ prompt: 'pay' }))).body;
  await world.detent.runs.attach(String(runId)).result;
  const ended = () => world.detent.runs.attach(String(runId)).result;
  return { ...world, paid, runId: String(runId), confirm: `/api/v1/runs/${runId}/confirmations/c2`, ended };
}

given('a gateway', () => {
  for (const [who, token, status] of [
    ['no token', null, 401],
    ['a wrong one', 'tok_x.y', 401],
  ] as const)
    when(`a client has ${who}`, 'it is refused, over HTTP and over frames', async () => {
      const { http, url } = await served([]);
      expect(await http('/api/v1/runs', { token })).toMatchObject({ status, body: { code: 'UNAUTHORIZED' } });
      const client = await openSocket(url);
      if (token === null)
        client.socket.send(JSON.stringify({ type: 'request', id: '1', method: 'run.list' }));
      else expect(await client.refused('connect', { token })).toMatchObject({ code: 'UNAUTHORIZED' });
      expect((await client.closed).code).toBe(token === null ? 1008 : 4401);
    });

  when('a request is wrong', 'the answer is a problem with a stable code, and nothing is done', async () => {
    const { http, connect, detent } = await served([]);
    const none = { status: 404, body: { code: 'NOT_FOUND', status: 404, retryable: false } };
    expect(await http('/api/v1/runs/run_none')).toMatchObject(none);
    const client = await connect();
    expect(await client.refused('run.get', { runId: 'run_none' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await client.refused('run.lst')).toMatchObject({ code: 'UNKNOWN_METHOD' });
    const bad = { status: 400, body: { code: 'INVALID_REQUEST' } };
    for (const body of ['{', {}, { prompt: 7 }, { prompt: 'hi', promt: 'hi' }])
      expect(await http('/api/v1/runs', post(body))).toMatchObject(bad);
    expect(await detent.runs.list()).toEqual([]);
  });
});

given('a token with some scopes', () => {
  const job = { jobId: 'j', every: '1h', prompt: 'hi', delivery: 'https://hooks.example/x' };
  const needs: [what: string, scope: Scope, path: string, body?: object][] = [
    ['sees runs', 'read', '/api/v1/runs'],
    ['starts a run', 'write', '/api/v1/runs', { prompt: 'hi' }],
    ['starts a run that approves all', 'approve', '/api/v1/runs', { prompt: 'hi', approve: 'all' }],
    ['chooses the model of a run', 'admin', '/api/v1/runs', { prompt: 'hi', model: 'test/other' }],
    ['chooses the instructions of a run', 'admin', '/api/v1/runs', { prompt: 'hi', system: 'You obey.' }],
    ['chooses the limits of a run', 'admin', '/api/v1/runs', { prompt: 'hi', limits: { maxSteps: 9 } }],
    ['has results of a job sent away', 'admin', '/api/v1/jobs', job],
  ];
  for (const [what, scope, path, body] of needs)
    when(`a client ${what}`, `it needs the scope ${scope}; no other scope includes it`, async () => {
      const { http, token, detent } = await served([]);
      const others = await token({ scopes: scopes.filter((one) => ![scope, 'talk'].includes(one)) });
      const request = body ? post(body, others) : { token: others };
      expect(await http(path, request)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(await detent.runs.list()).toEqual([]);
    });

  when('a client may only talk', 'it converses as its user, and reads no costs', async () => {
    const { http, token } = await served([{ text: 'hello' }]);
    const ann = { token: await token({ scopes: ['talk'], userId: 'ann' }) };
    const { runId } = (await http('/api/v1/runs', post({ prompt: 'hi' }, ann.token))).body;
    const { body } = await http(`/api/v1/runs/${runId}/wait`, ann);
    expect(body).toMatchObject({ text: 'hello', status: 'done' });
    expect(body).not.toHaveProperty('usage');
    expect(await http('/api/v1/usage', ann)).toMatchObject({ status: 403 });
  });

  when('a client decides on a call', 'it needs `approve`, and one decision counts', async () => {
    const { http, token, paid, confirm, ended } = await asked();
    const clerk = await token({ scopes: ['read', 'write', 'admin'] });
    expect(await http(confirm, post({ verdict: 'approve' }, clerk))).toMatchObject({ status: 403 });
    expect(paid).toEqual([]);
    const answers = await Promise.all([
      http(confirm, post({ verdict: 'approve' })),
      http(confirm, post({ verdict: 'reject' })),
    ]);
    expect(answers.filter(({ body }) => Boolean(body.applied))).toHaveLength(1);
    expect((await ended()).status).toBe('done');
  });

  when('its holder who may not approve writes to a run that approves all', 'what follows asks', async () => {
    const { pass, reached, open } = gate();
    const look = tool('look', { run: (_, { signal }) => pass(signal).then(() => 'seen') });
    const { pay, paid } = payment();
    const script = [calls('look'), calls('pay'), { text: 'done' }];
    const { http, token, detent } = await served(script, { tools: { define: [look, pay] } });
    const { runId } = (await http('/api/v1/runs', post({ prompt: 'go', approve: 'all' }))).body;
    await reached;
    const clerk = await token({ scopes: ['read', 'write'] });
    await http(`/api/v1/runs/${runId}/messages`, post({ message: 'pay me' }, clerk));
    open();
    expect((await detent.runs.attach(String(runId)).result).status).toBe('waiting');
    expect(paid).toEqual([]);
  });
});

given('a token of a user', () => {
  when('the client asks for what is another user’s', 'that does not exist for it', async () => {
    const { http, token, detent } = await served([{ text: 'secret' }]);
    const { runId, sessionId } = await detent.run('hi', { principal: { userId: 'ada' } }).result;
    const bob = await token({ userId: 'bob' });
    const none = { status: 404, body: { code: 'NOT_FOUND' } };
    expect(await http(`/api/v1/runs/${runId}`, { token: bob })).toMatchObject(none);
    expect(await http(`/api/v1/sessions/${sessionId}`, { token: bob })).toMatchObject(none);
    expect(await http(`/api/v1/runs/${runId}/cancel`, post({}, bob))).toMatchObject(none);
    expect((await http('/api/v1/runs', { token: bob })).body.runs).toEqual([]);
    const ada = await token({ userId: 'ada' });
    expect((await http(`/api/v1/runs/${runId}`, { token: ada })).status).toBe(200);
  });

  when('it may not approve and forks a run that approved all', 'the fork asks a person', async () => {
    const { pay, paid } = payment();
    const script = [calls('pay'), { text: 'paid' }, calls('pay')];
    const { http, token, detent } = await served(script, { tools: { define: [pay] } });
    const { runId } = await detent.run('pay', { approve: 'all' }).result;
    const clerk = await token({ scopes: ['read', 'write'], userId: 'bob', sees: 'tenant' });
    const forked = await http(`/api/v1/runs/${runId}/forks`, post({ at: 0, resume: true }, clerk));
    expect((await detent.runs.attach(String(forked.body.runId)).result).status).toBe('waiting');
    expect(paid).toHaveLength(1);
  });

  when('two users name a session alike', 'each has a session of its own', async () => {
    const { connect, token } = await served([{ text: 'one' }, { text: 'two' }]);
    const ids = [];
    for (const userId of ['ada', 'bob']) {
      const client = await connect(await token({ userId }));
      ids.push((await client.ask('agent.run', { prompt: 'hi', sessionId: 'main' })).sessionId);
    }
    expect(ids).toEqual(['ada:main', 'bob:main']);
  });
});

given('a token that is at work', () => {
  when('it is revoked', 'no frame is taken any more, and idle connections end, too', async () => {
    const { detent, token, connect } = await served([]);
    const shown = await token();
    const [client, idle] = [await connect(shown), await connect(shown)];
    await client.ask('session.create', {});
    await detent.tokens.revoke(shown.split('.')[0] ?? '');
    expect(await client.refused('session.create', {})).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const { closed } of [client, idle]) expect((await closed).code).toBe(4401);
    expect(await detent.sessions.list()).toHaveLength(1);
  });

  when('its time is over', 'the next frame is refused', async () => {
    const clock = fakeClock();
    const { detent, connect } = await served([], { clock });
    const { token } = await detent.tokens.create({ scopes: ['read'], expiresAt: clock.now() + 60_000 });
    const client = await connect(token);
    await clock.advance(60_000);
    expect(await client.refused('run.list')).toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

given('a gateway whose host says who its clients are', () => {
  const answers: [what: string, answer: unknown, status: number][] = [
    ['a caller', { tenantId: 1, userId: 'ada', scopes: ['read'] } satisfies Caller, 200],
    ['null', null, 401],
    ['a caller without scopes', { tenantId: 1, userId: null }, 403],
    ['an unknown scope', { tenantId: 1, userId: null, scopes: ['all'] }, 403],
  ];
  for (const [what, answer, status] of answers)
    when(`it answers ${what}`, `the client gets ${status}`, async () => {
      const authenticate = (): never => answer as never;
      const { http } = await served([], {}, { authenticate, onError: () => {} });
      expect((await http('/api/v1/runs', { token: 'x' })).status).toBe(status);
    });
});

given('a request that changes something, with a key', () => {
  const key = { 'idempotency-key': 'order-1' };

  when('it comes again and again', 'it is done once, and each gets the same answer', async () => {
    const { http } = await served([{ text: 'once' }]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => http('/api/v1/runs', post({ prompt: 'hello' }, undefined, key))),
    );
    const [first] = answers;
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      answers.map(() => ({ status: 202, body: first?.body })),
    );
    expect((await http('/api/v1/runs')).body.runs).toHaveLength(1);
  });

  when('it comes again with another body', 'it is refused', async () => {
    const { http } = await served([{ text: 'once' }]);
    await http('/api/v1/runs', post({ prompt: 'hello' }, undefined, key));
    const other = await http('/api/v1/runs', post({ prompt: 'bye' }, undefined, key));
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } });
  });
});

given('a run that clients watch', () => {
  const inLog = ({ event }: { event: string }) => !/^assistant\.(?:delta|reasoning|reset)$/.test(event);

  when('it goes on', 'each watcher has every event once, in order, whenever it came', async () => {
    const { connect, runId, confirm, http, ended } = await asked();
    const early = await connect();
    await early.ask('run.subscribe', { runId });
    await http(confirm, post({ verdict: 'approve' }));
    await ended();
    await early.saw(({ event }) => event === 'lifecycle.end');
    const late = await connect();
    await late.ask('run.subscribe', { runId });
    await late.saw(({ event }) => event === 'lifecycle.end');
    const [seen, again] = [early, late].map(({ events }) => events.filter(inLog));
    const some = ['lifecycle.start', 'tool.confirm_request', 'tool.confirm_resolved', 'lifecycle.end'];
    expect(seen?.map(({ event }) => event)).toEqual(expect.arrayContaining(some));
    expect(again).toEqual(seen);
  });

  when('a client comes amid an answer', 'it has the pieces from its start', async () => {
    const { pass, reached, open } = gate();
    const script: ScriptLine = async (_, { onDelta, signal }) => {
      onDelta({ type: 'text', text: 'Good ' });
      await pass(signal);
      return { text: 'day.' };
    };
    const { connect, detent } = await served([script]);
    const { runId, started } = detent.run('hello');
    await Promise.all([started, reached]);
    const late = await connect();
    await late.ask('run.subscribe', { runId });
    open();
    await late.saw(({ event }) => event === 'lifecycle.end');
    const pieces = late.events.flatMap((one) => (one.event === 'assistant.delta' ? [one.payload] : []));
    expect(pieces[0]).toMatchObject({ offset: 0, content: 'Good ' });
    expect(pieces.map(({ content }) => content).join('')).toBe('Good day.');
  });

  when('it waits for a person', 'its view says for what, and which commands it takes', async () => {
    const { http, runId } = await asked();
    const { body } = await http(`/api/v1/runs/${runId}`);
    const pending = [{ kind: 'confirm', callId: 'c2', name: 'pay' }];
    expect(body).toMatchObject({ status: 'waiting', pending });
    expect(body.allowed).toContainEqual({ type: 'confirm.decide', callId: 'c2', verdict: 'approve' });
  });
});

given('all runs of a tenant', () => {
  when('a client reads the feed', 'it has each transition once, behind any place', async () => {
    const { detent, http } = await served([{ text: 'one' }, { text: 'two' }]);
    await detent.runs.feed();
    const [first, second] = [await detent.run('go').result, await detent.run('go').result];
    const feed = async (after: number) => (await http(`/api/v1/feed?after=${after}`)).body;
    const moved = [first, first, second, second].map(({ runId }) => ({ runId }));
    expect(await feed(0)).toMatchObject({ events: moved, cursor: 4 });
    expect(await feed(2)).toMatchObject({ events: moved.slice(2), cursor: 4 });
  });
});

given('a user who does too much', () => {
  when('more requests come than it may make', 'they are refused for now, and others are served', async () => {
    const { http, token } = await served([], {}, { limits: { requestsPerMinute: 2 } });
    const ada = await token({ userId: 'ada' });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await http('/api/v1/runs', { token: ada })).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await http('/api/v1/runs', { token: await token({ userId: 'bob' }) })).status).toBe(200);
  });

  when('more runs are at work than it may have', 'the next one is refused for now', async () => {
    const { pass, open } = gate();
    const script = [() => pass().then(() => ({ text: 'done' }))];
    const { http, detent } = await served(script, {}, { limits: { maxRunsPerUser: 1 } });
    const { runId } = (await http('/api/v1/runs', post({ prompt: 'go' }))).body;
    expect(await http('/api/v1/runs', post({ prompt: 'more' }))).toMatchObject({
      status: 429,
      body: { code: 'TOO_MANY_RUNS', retryable: true },
    });
    open();
    await detent.runs.attach(String(runId)).result;
  });

  when('its run waits for a person', 'that run does not count', async () => {
    const { pay } = payment();
    const script = [calls('pay'), { text: 'done' }];
    const tools = { define: [pay] };
    const { http, detent } = await served(script, { tools }, { limits: { maxRunsPerUser: 1 } });
    const { runId } = (await http('/api/v1/runs', post({ prompt: 'pay' }))).body;
    await detent.runs.attach(String(runId)).result;
    expect((await http('/api/v1/runs', post({ prompt: 'more' }))).status).toBe(202);
  });
});
