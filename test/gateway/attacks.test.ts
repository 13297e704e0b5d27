import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { httpMethods } from '../../src/gateway/http/routes.ts';
import type { Method } from '../../src/gateway/methods/method.ts';
import { methods } from '../../src/gateway/methods/methods.ts';
import { type Caller, type Scope, scopes } from '../../src/protocol/access.ts';
import { jobsOf } from '../../src/schedule/door.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { tool } from '../support/detent.ts';
import { inSizes } from '../support/size.ts';
import { type Ids, inputOf, requestOf } from './inputs.ts';
import { openSocket, serve, served } from './support.ts';

const everyLimit = { failuresPerMinute: 100_000, requestsPerMinute: 100_000 };

/** A gateway with a parked run of Alice's, and what would show that a client had changed anything. */
async function guarded(gatewayOptions: Parameters<typeof served>[2] = {}) {
  const pay = tool('pay', { sideEffect: 'unsafe', confirm: true, run: () => 'paid' });
  const script = [{ toolCalls: [{ name: 'pay', arguments: { to: 'Xanadu' } }] }];
  const world = await served(script, { tools: { define: [pay] } }, { limits: everyLimit, ...gatewayOptions });
  const { detent } = world;
  const principal = { userId: 'alice' };
  const { runId } = await detent.run('Xanadu?', { sessionId: 'parlour', principal }).result;
  await createScheduler(detent).add({ jobId: 'ledger', every: '1h', prompt: 'Xanadu' }, { userId: 'alice' });
  const ids: Ids = { runId, otherRunId: runId, sessionId: 'parlour', callId: 'c1', jobId: 'ledger' };
  const everything = async () =>
    JSON.stringify([
      await detent.runs.list(),
      await detent.runs.show(runId),
      await detent.sessions.show('parlour'),
      (await (await jobsOf(detent)).get(1, 'ledger')).context,
    ]);
  return { ...world, ids, everything };
}

const places = httpMethods.map((method) => [`${method.http?.verb} ${method.http?.path}`, method] as const);

/** Fields that only some callers may send. */
const guardedFields: Readonly<Record<string, readonly [Record<string, unknown>, Scope][]>> = {
  'agent.run': [
    [{ approve: 'all' }, 'approve'],
    [{ system: 'You obey.' }, 'admin'],
    [{ model: 'test/other' }, 'admin'],
    [{ limits: { maxSteps: 9 } }, 'admin'],
    [{ budget: 'big' }, 'admin'],
  ],
  'cron.add': [
    [{ delivery: 'https://hooks.example/x' }, 'admin'],
    [{ alert: ['console', 'file:out.md'] }, 'admin'],
    [{ limits: { maxSteps: 9 } }, 'admin'],
    [{ budget: 'big' }, 'admin'],
  ],
  'cron.update': [
    [{ delivery: 'https://hooks.example/x' }, 'admin'],
    [{ limits: null }, 'admin'],
  ],
  'run.fork': [
    [{ model: 'test/other' }, 'admin'],
    [{ approve: 'all' }, 'approve'],
  ],
};

const without = (scope: Scope) => scopes.filter((one) => ![scope, 'talk'].includes(one));

describe('a client', () => {
  it('without a token, or with a wrong one, gets 401 at every place, and does nothing', async () => {
    const { http, ids, everything } = await guarded();
    const before = await everything();
    for (const [place, method] of places)
      for (const token of [null, 'tok_x.y', 'null']) {
        const { path, init } = requestOf(method, inputOf(method, ids));
        const { status, body } = await http(path, { ...init, token });
        expect([place, status, body.code]).toEqual([place, 401, 'UNAUTHORIZED']);
      }
    expect(await everything()).toBe(before);
  });

  it('that has not connected is sent away with any method, and does nothing', async () => {
    const { url, ids, everything } = await guarded();
    const before = await everything();
    for (const method of methods) {
      const stranger = await openSocket(url);
      const payload = inputOf(method, ids);
      stranger.socket.send(JSON.stringify({ type: 'request', id: '1', method: method.name, payload }));
      expect([method.name, (await stranger.closed).code]).toEqual([method.name, 1008]);
    }
    expect(await everything()).toBe(before);
  });

  it('with all scopes but the one it needs is FORBIDDEN, and does nothing', async () => {
    const { http, connect, token, ids, everything } = await guarded();
    const before = await everything();
    const tokens = new Map<Scope, string>();
    for (const scope of scopes) tokens.set(scope, await token({ scopes: without(scope) }));
    for (const scope of scopes) {
      const client = await connect(tokens.get(scope));
      for (const method of methods) {
        const extras = guardedFields[method.name] ?? [];
        const fields =
          method.scope === scope ? [{}] : extras.filter(([, needs]) => needs === scope).map(([is]) => is);
        for (const extra of fields) {
          const input = { ...inputOf(method, ids), ...extra };
          const refused = { code: 'FORBIDDEN', details: { missing: [scope] } };
          expect(await client.refused(method.name, input)).toMatchObject(refused);
          if (!method.http) continue;
          const { path, init } = requestOf(method, input);
          const answer = await http(path, { ...init, token: tokens.get(scope) ?? '' });
          expect([method.name, answer.status, answer.body.code]).toEqual([method.name, 403, 'FORBIDDEN']);
        }
      }
    }
    expect(await everything()).toBe(before);
  });

  it('that sends an unknown word where there is a list of words is refused, and does nothing', async () => {
    const { connect, http, ids, everything } = await guarded();
    const before = await everything();
    const client = await connect();
    let words = 0;
    for (const method of methods)
      for (const field of wordFields(method)) {
        words++;
        for (const word of [
          'obliterate',
          '',
          'APPROVE',
          'approve ',
          null,
          1,
          ['approve'],
          { verdict: 'approve' },
        ]) {
          const input = { ...inputOf(method, ids), [field]: word };
          expect([method.name, field, word, (await client.refused(method.name, input)).code]).toEqual([
            method.name,
            field,
            word,
            'INVALID_REQUEST',
          ]);
        }
        if (!method.http) continue;
        const { path, init } = requestOf(method, { ...inputOf(method, ids), [field]: 'obliterate' });
        expect((await http(path, init)).status).toBe(400);
      }
    expect(words).toBeGreaterThanOrEqual(6);
    expect(await everything()).toBe(before);
  });
});

/** Fields whose value is a word of a list. */
function wordFields(method: Method): string[] {
  const { properties = {} } = z.toJSONSchema(method.input, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, { enum?: unknown; items?: { enum?: unknown } }>;
  };
  return Object.entries(properties)
    .filter(([, { enum: words, items }]) => words !== undefined || items?.enum !== undefined)
    .map(([name]) => name);
}

describe('a caller of another tenant', () => {
  it('sees and changes nothing, by any method with any mix of ids', async () => {
    const { detent, connect, http, token, ids, everything } = await guarded();
    const before = await everything();
    const { createdAt } = (await detent.sessions.show('parlour')) ?? {};
    const theirs = new RegExp(`Xanadu|"alice"|"pay"\\s*,\\s*"status"|"createdAt":${createdAt}\\b`);
    const { id: tenantId } = await detent.tenants.create({ name: 'other' });
    const shown = await token({ tenantId });
    const bound = await token({ tenantId, userId: 'alice' });
    const clients = [await connect(shown), await connect(bound)];
    const words = [
      ...Object.values(ids),
      'run_none',
      'main',
      `1/${ids.runId}`,
      `${ids.runId}.c1`,
      'alice:parlour',
    ];
    const any = fc.constantFrom(...words);
    const mix = fc.record({
      runId: any,
      otherRunId: any,
      sessionId: any,
      callId: fc.constantFrom('c1', 'c2'),
      jobId: any,
    });
    const making = ['agent.run', 'tool.call', 'attachment.put', 'cron.add', 'session.takeover'];
    const reading = methods.filter(({ name }) => !making.includes(name));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reading), mix, fc.nat(1), async (method, named, who) => {
        const input = inputOf(method, named);
        const overFrames = await clients[who]?.request(method.name, input);
        const { path, init } = requestOf(method, input);
        const overHttp =
          method.http && (await http(path, { ...init, token: who === 0 ? shown : bound })).body;
        const answers = JSON.stringify([overFrames, overHttp])
          .replaceAll('"query":"Xanadu"', '')
          // The tokens of their own tenant, which has a user of the same name.
          .replaceAll(new RegExp(`\\{[^{}]*"tenantId":${tenantId},[^{}]*\\}`, 'g'), '')
          // Some methods make the session that they name: the other Alice's own. Hers is known by its time.
          .replaceAll(/"sessionId":"[^"]*","userId":"alice"/g, '');
        expect(answers).not.toMatch(theirs);
      }),
      { numRuns: inSizes({ usual: 10, deep: 80, full: 20_000 }) },
    );
    expect(await everything()).toBe(before);
    for (const client of clients)
      expect(client.events.filter(({ event }) => event !== 'subscription.ended')).toEqual([]);
  });
});

describe('what authenticate of a host returns', () => {
  const good: Caller = { tenantId: 1, userId: 'alice', scopes: ['read'] };
  const odd: readonly (readonly [string, unknown, string | null])[] = [
    ['null', null, null],
    ['undefined', undefined, null],
    ['false', false, null],
    ['true', true, 'not true'],
    ['a text', 'alice', 'not "alice"'],
    ['an unknown scope', { ...good, scopes: ['read', 'root'] }, 'not "root"'],
    ['scopes that are a string', { ...good, scopes: 'read' }, 'a list of scopes'],
    ['no scopes', { ...good, scopes: [] }, 'a list of scopes'],
    ['scopes left out', { tenantId: 1, userId: 'alice' }, 'a list of scopes'],
    ['a tenant that is text', { ...good, tenantId: '1' }, 'tenantId is a whole number from 1, not "1"'],
    ['the tenant NaN', { ...good, tenantId: Number.NaN }, 'tenantId'],
    ['the tenant 0', { ...good, tenantId: 0 }, 'tenantId'],
    ['the tenant -1', { ...good, tenantId: -1 }, 'tenantId'],
    ['the tenant 1.5', { ...good, tenantId: 1.5 }, 'tenantId'],
    ['no tenant', { userId: 'alice', scopes: ['read'] }, 'one of tenant and tenantId'],
    ['a name of a tenant that is a number', { ...good, tenantId: undefined, tenant: '42' }, 'not "42"'],
    ['an empty user', { ...good, userId: '' }, 'userId'],
    ['a user that is a number', { ...good, userId: 7 }, 'not 7'],
    ['a user that is an object', { ...good, userId: { id: 'alice' } }, 'userId'],
    ['a user of half a character', { ...good, userId: 'alice\ud800' }, 'userId'],
    ['a user that is left out', { tenantId: 1, scopes: ['read'] }, 'userId'],
    ['a user that is undefined', { ...good, userId: undefined }, 'userId'],
    ['agents that are a text', { ...good, agents: 'support' }, 'agents is a list'],
    ['workflows that are null', { ...good, workflows: null }, 'workflows is a list'],
    ['unknown words of what it sees', { ...good, sees: 'all' }, 'sees is "tenant"'],
    ['a count of runs that is text', { ...good, maxRuns: '5' }, 'maxRuns'],
    ['an end in seconds', { ...good, expiresAt: 4_000_000_000 }, 'expiresAt'],
    ['a misspelt restriction', { ...good, agent: ['support'] }, 'did you mean "agents"?'],
  ];

  it.each(odd)('lets in nobody when it is %s, and names the field in the log', async (_, answer, problem) => {
    const errors: string[] = [];
    const { http, url } = await served(
      [],
      {},
      {
        authenticate: () => answer as Caller,
        onError: (error) => errors.push(String(error)),
      },
    );
    expect((await http('/api/v1/runs', { token: 'x' })).status).toBe(problem === null ? 401 : 403);
    const client = await openSocket(url);
    expect(await client.refused('connect', { token: 'x' })).toMatchObject({
      code: problem === null ? 'UNAUTHORIZED' : 'INVALID_CALLER',
      message: expect.not.stringMatching(/tenantId|authenticate/),
    });
    expect((await client.closed).code).toBe(4401);
    const line = expect.stringContaining(problem ?? '');
    // Once a minute, however many requests come.
    expect(errors).toEqual(problem === null ? [] : [line]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('/etc/secret'))],
    ['throws what is no error', () => Promise.reject('/etc/secret')],
    ['throws nothing', () => Promise.reject(undefined)],
    ['never answers', () => new Promise<null>(() => {})],
  ])('lets in nobody when it %s, and the gateway goes on', async (_, authenticate) => {
    const { http, url } = await served(
      [],
      {},
      {
        authenticate,
        onError: () => {
          throw new Error('the reporter is broken too');
        },
        limits: { authenticateMs: 50 },
      },
    );
    expect(await http('/api/v1/runs', { token: 'x' })).toMatchObject({
      status: 503,
      body: { code: 'AUTHENTICATION_FAILED', retryable: true, detail: expect.not.stringContaining('secret') },
    });
    const client = await openSocket(url);
    expect(await client.refused('connect', { token: 'x' })).toMatchObject({ code: 'AUTHENTICATION_FAILED' });
    expect((await http('/healthz')).status).toBe(200);
  });

  it('ends a connection and a stream once it says something else', async () => {
    let caller: Caller | null = { ...good, scopes: ['read', 'write'] };
    const { connect, http, url } = await guarded({
      authenticate: () => caller,
      // A client on a busy machine has to answer in this time.
      limits: { ...everyLimit, heartbeatMs: 200 },
    });
    const { runs } = (await http('/api/v1/runs', { token: 'x' })).body as never as {
      runs: { runId: string }[];
    };
    const client = await connect('x');
    const stream = await fetch(`${url}/api/v1/runs/${runs[0]?.runId}/events`, {
      headers: { authorization: 'Bearer x' },
    });
    caller = { ...caller, userId: 'mallory' };
    expect((await client.closed).code).toBe(4401);
    expect(await stream.text()).toContain('tool.confirm_request');
  });
});

describe('attempts to guess a token', () => {
  it('are limited by address; a token that was right before still is let in', async () => {
    const { http, token, url } = await served([], {}, { limits: { failuresPerMinute: 5 } });
    const known = await token({});
    expect((await http('/api/v1/runs', { token: known })).status).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) statuses.push((await http('/api/v1/runs', { token: `tok_${i}.x` })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429, 429]);
    expect((await http('/api/v1/runs', { token: known })).status).toBe(200);
    const guess = { method: 'POST', body: { code: 'x' }, token: null };
    expect((await http('/api/v1/login', guess)).status).toBe(429);
    expect(await (await openSocket(url)).refused('connect', { token: 'tok_a.b' })).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      retryable: true,
    });
  });

  it('of login codes count like those of tokens', async () => {
    const { http } = await served([], {}, { limits: { failuresPerMinute: 3 } });
    const guess = () => http('/api/v1/login', { method: 'POST', body: { code: 'x' }, token: null });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});

describe('a login link', () => {
  const exchange = (code: unknown) => ({ method: 'POST', body: { code }, token: null });

  it('works once, also when two use it at once', async () => {
    const { http, gateway } = await served([]);
    const code = gateway.loginCode();
    const answers = await Promise.all(Array.from({ length: 5 }, () => http('/api/v1/login', exchange(code))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    const token = answers.find(({ status }) => status === 200)?.body.token ?? '';
    expect((await http('/api/v1/runs', { token })).status).toBe(200);
  });

  it('of the database works once, also at two gateways at once, and is no token', async () => {
    const first = await served([]);
    const second = await serve(first.detent);
    const { code } = await first.detent.tokens.createLogin();
    expect((await first.http('/api/v1/runs', { token: code })).status).toBe(401);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => [first, second][i % 2]?.http('/api/v1/login', exchange(code))),
    );
    const statuses = answers.map((answer) => answer?.status);
    expect(statuses.sort()).toEqual([200, 401, 401, 401, 401, 401]);
    const token = answers.find((answer) => answer?.status === 200)?.body.token ?? '';
    expect((await second.http('/api/v1/runs', { token })).status).toBe(200);
  });

  it('is none made of a token', async () => {
    const { http, token } = await served([]);
    const shown = await token();
    expect((await http('/api/v1/login', exchange(shown))).status).toBe(401);
    expect((await http('/api/v1/runs', { token: shown })).status).toBe(200);
  });

  it('does not work with its code in the address, where logs would see it', async () => {
    const { http, gateway } = await served([]);
    const code = gateway.loginCode();
    for (const body of [undefined, {}, { code: 'x' }])
      expect((await http(`/api/v1/login?code=${code}`, { method: 'POST', body, token: null })).status).toBe(
        400,
      );
    expect((await http(`/api/v1/login?code=${code}`, { token: null })).status).toBe(404);
    expect((await http('/api/v1/login', exchange(code))).status).toBe(200);
  });

  it('is refused as a list, an object or a long text', async () => {
    const { http } = await served([]);
    for (const code of [['x'], { code: 'x' }, 1, null, '', 'x'.repeat(5_000)])
      expect((await http('/api/v1/login', exchange(code))).status).toBe(400);
    expect((await http('/api/v1/login', exchange('x'.repeat(20_000)))).status).toBe(413);
  });
});
