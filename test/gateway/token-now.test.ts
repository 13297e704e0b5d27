import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDetent } from '../../src/index.ts';
import type { Caller, Scope } from '../../src/protocol/access.ts';
import { closeCodes } from '../../src/protocol/frames.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { head, rawSocket, statusOf } from './sockets.ts';
import { serve, served } from './support.ts';

it('decides each frame by what another process has written of the token', async () => {
  const workspace = await temporaryWorkspace();
  const database = { file: join(workspace, 'detent.db') };
  const detent = createDetent({ workspace, database, env: {} });
  onTestFinished(() => detent.close());
  const { connect, token } = await serve(detent);
  const other = createDetent({ workspace, database, env: {} });
  onTestFinished(() => other.close());
  const shown = await token();
  const client = await connect(shown);
  await other.tokens.revoke(shown.split('.')[0] ?? '');
  expect(await client.refused('session.create')).toMatchObject({ code: 'UNAUTHORIZED' });
});

it('ends the stream of an answer when its token was revoked', async () => {
  const slow = Promise.withResolvers<{ text: string }>();
  const { detent, token, url } = await served([() => slow.promise], {}, { limits: { heartbeatMs: 200 } });
  const shown = await token();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shown}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'default', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect(answer.status).toBe(200);
  await detent.tokens.revoke(shown.split('.')[0] ?? '');
  expect(await answer.text()).not.toContain('[DONE]');
  slow.resolve({ text: 'too late' });
});

it.each<[string, Partial<Caller> | null, string]>([
  ['is let in no longer', null, 'UNAUTHORIZED'],
  ['stands for another user', { userId: 'bob' }, 'UNAUTHORIZED'],
  ['stands for another tenant', { tenantId: 2 }, 'UNAUTHORIZED'],
  ['may do less', { scopes: ['read'] }, 'FORBIDDEN'],
])('refuses a change when the token %s', async (_, change, code) => {
  const caller: Caller = { tenantId: 1, userId: 'ann', scopes: ['read', 'write'] };
  let now: Caller | null = caller;
  const { connect } = await served([], {}, { authenticate: () => now });
  const client = await connect('x');
  await client.ask('session.create', { sessionId: 'before' });
  now = change && { ...caller, ...change };
  expect(await client.refused('session.create', { sessionId: 'after' })).toMatchObject({ code });
});

it('keeps frames in their order, however long each look at the token takes', async () => {
  const delays = [0, 60, 0];
  const authenticate = async () => {
    await new Promise((resolve) => setTimeout(resolve, delays.shift() ?? 0));
    return { tenantId: 1, userId: null, scopes: ['read', 'write'] as Scope[] };
  };
  const { connect } = await served([], {}, { authenticate });
  const client = await connect('x');
  const order: string[] = [];
  await Promise.all(
    ['first', 'second'].map(async (sessionId) => {
      await client.ask('session.create', { sessionId });
      order.push(sessionId);
    }),
  );
  expect(order).toEqual(['first', 'second']);
});

it('keeps a client that is refused nothing while nobody can say whose token it is', async () => {
  let isBroken = false;
  const { connect } = await served(
    [],
    {},
    {
      authenticate: () => {
        if (isBroken) throw new Error('the directory is down');
        return { tenantId: 1, userId: null, scopes: ['read', 'write'] };
      },
    },
  );
  const client = await connect('x');
  isBroken = true;
  expect(await client.refused('session.create')).toMatchObject({
    code: 'AUTHENTICATION_FAILED',
    retryable: true,
  });
  isBroken = false;
  await client.ask('session.create', { sessionId: 'later' });
});

it('looks at the token again when the body of a request took long', async () => {
  const { detent, token, url } = await served([]);
  const shown = await token();
  const raw = await rawSocket(url);
  const body = '{"sessionId":"late"}';
  raw.write(
    head(
      'POST /api/v1/sessions HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${shown}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ),
  );
  raw.write(body.slice(0, 5));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await detent.tokens.revoke(shown.split('.')[0] ?? '');
  raw.write(body.slice(5));
  expect(statusOf(await raw.closed)).toBe(401);
});

it('opens nothing for a ticket whose token was revoked', async () => {
  const { detent, token, http, url } = await served([]);
  const shown = await token();
  const { body } = await http('/api/v1/inspect/ticket', { token: shown });
  await detent.tokens.revoke(shown.split('.')[0] ?? '');
  const { WebSocket } = await import('ws');
  const status = await new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${body.path}`);
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('open', () => resolve('open'));
    socket.on('error', () => {});
  });
  expect(status).toBe(401);
});

it.each([
  ['of the tenant', {}],
  ['of a user', { userId: 'ann' }],
])('sends no events of a run that is not there to a token %s', async (_, whose) => {
  const { token, http, connect } = await served([]);
  const shown = await token(whose);
  expect((await http('/api/v1/runs/run_none/events', { token: shown })).status).toBe(404);
  const client = await connect(shown);
  expect(await client.refused('run.subscribe', { runId: 'run_none' })).toMatchObject({ code: 'NOT_FOUND' });
});

it('ends a revoked connection, however many wrong tokens its address has shown', async () => {
  const limits = { heartbeatMs: 200, failuresPerMinute: 2 };
  const { detent, token, connect, http } = await served([], {}, { limits });
  const shown = await token();
  const client = await connect(shown);
  for (let i = 0; i < 4; i++) await http('/api/v1/runs', { token: `wrong${i}` });
  await detent.tokens.revoke(shown.split('.')[0] ?? '');
  expect(await client.closed).toMatchObject({ code: closeCodes.unauthorized });
});

it('lets every right token and login code in, however many wrong ones its address has shown', async () => {
  const { token, http, gateway } = await served([], {}, { limits: { failuresPerMinute: 2 } });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await http('/api/v1/runs', { token: `wrong${i}` })).status);
  expect(statuses).toEqual([401, 401, 429, 429]);
  expect((await http('/api/v1/runs', { token: await token() })).status).toBe(200);
  const login = (code: string) => http('/api/v1/login', { method: 'POST', body: { code }, token: null });
  expect((await login('wrong')).status).toBe(429);
  expect((await login(gateway.loginCode())).status).toBe(200);
});

it.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('counts requests and login codes by no clock that is set %s', async (_, ms) => {
  const { http, gateway, connect } = await served([], {}, { limits: { requestsPerMinute: 6 } });
  const code = gateway.loginCode();
  const client = await connect();
  const statusOf = async () => (await http('/api/v1/runs')).status;
  expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 200]);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  onTestFinished(() => void vi.useRealTimers());
  expect([await statusOf(), await statusOf()]).toEqual([200, 200]);
  await client.ask('ping');
  // As before the step: a clock that is set gives nobody more, either.
  expect(await statusOf()).toBe(429);
  const login = { method: 'POST', body: { code }, token: null };
  expect((await http('/api/v1/login', login)).status).toBe(200);
});
