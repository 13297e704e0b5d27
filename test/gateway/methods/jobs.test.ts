import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JobInput } from '../../../src/protocol/methods.ts';
import type { JobView } from '../../../src/schedule/index.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { scripted } from '../../support/detent.ts';
import { inSizes } from '../../support/size.ts';
import { type Served, serve, served } from '../support.ts';

const hourly = { every: '1h', prompt: 'Sum up.' };
const writing = ['read', 'write'] as const;

/** Asks over HTTP, and gives the body with the types of no one in particular. */
async function ask<T = JobView>(
  { http }: Served,
  path: string,
  method = 'GET',
  body?: unknown,
  token?: string,
) {
  const answer = await http(`/api/v1${path}`, {
    method,
    ...(body !== undefined && { body }),
    ...(token !== undefined && { token }),
  });
  return { status: answer.status, body: answer.body as unknown as T };
}

describe('jobs over HTTP', () => {
  it('are made, listed, changed, stopped, resumed and removed', async () => {
    const world = await served([]);
    const made = await ask(world, '/jobs', 'POST', {
      jobId: 'daily',
      cron: '0 9 * * 1-5',
      timeZone: 'UTC',
      prompt: 'Go.',
    });
    expect(made).toMatchObject({
      status: 201,
      body: { jobId: 'daily', state: 'scheduled', words: expect.stringContaining('09:00'), source: 'user' },
    });
    expect((await ask<{ jobs: JobView[] }>(world, '/jobs')).body.jobs.map(({ jobId }) => jobId)).toEqual([
      'daily',
    ]);
    expect((await ask(world, '/jobs/daily', 'PATCH', { prompt: 'Stay.' })).body).toMatchObject({
      prompt: 'Stay.',
    });
    expect((await ask(world, '/jobs/daily/pause', 'POST', { reason: 'holidays' })).body).toMatchObject({
      state: 'paused',
      why: 'holidays',
      next: [],
    });
    expect((await ask(world, '/jobs/daily/resume', 'POST')).body).toMatchObject({ why: null });
    expect((await ask(world, '/jobs/daily/disable', 'POST')).body).toMatchObject({ why: 'disabled by hand' });
    expect((await ask<{ next: number[] }>(world, '/jobs/daily/next?count=5')).body.next).toHaveLength(5);
    expect((await ask(world, '/jobs/daily/enable', 'POST')).status).toBe(200);
    expect((await ask(world, '/jobs/daily', 'DELETE')).body).toEqual({ removed: true });
    expect(await ask(world, '/jobs/daily')).toMatchObject({ status: 404, body: { code: 'NO_JOB' } });
  });

  it('run where the schedule runs, and have a history', async () => {
    const { detent } = await scripted([{ text: 'All is well.' }]);
    const scheduler = createScheduler(detent);
    await scheduler.start();
    onTestFinished(() => scheduler.close());
    const world = await serve(detent, { scheduler });
    const client = await world.connect();
    await client.ask('cron.add', { jobId: 'daily', ...hourly });
    expect((await ask(world, '/jobs/daily/run', 'POST')).status).toBe(202);
    const [first] = await endedSlots(world);
    expect(first).toMatchObject({ n: 1, kind: 'manual', status: 'ok', error: null });
    expect(await client.ask('run.get', { runId: first?.runId })).toMatchObject({ text: 'All is well.' });
  });

  it.each([
    ['POST', '/jobs', { jobId: 'a', cron: '* * *', prompt: 'x' }, 400, 'INVALID_CRON'],
    [
      'POST',
      '/jobs',
      { jobId: 'a', cron: '* * * * *', timeZone: 'Mars/Base', prompt: 'x' },
      400,
      'UNKNOWN_TIME_ZONE',
    ],
    ['POST', '/jobs', { jobId: 'a', prompt: 'x' }, 400, 'INVALID_SCHEDULE'],
    ['POST', '/jobs', { jobId: ' a', ...hourly }, 400, 'INVALID_JOB'],
    ['POST', '/jobs', { jobId: '..', ...hourly }, 400, 'INVALID_JOB'],
    ['POST', '/jobs', { jobId: 'a', ...hourly, misfire: 'perhaps' }, 400, 'INVALID_SCHEDULE'],
    ['POST', '/jobs', { jobId: 'a', ...hourly, delivery: 'pigeon' }, 400, 'INVALID_JOB'],
    ['POST', '/jobs', { jobId: 'a', ...hourly, limits: { maxStep: 3 } }, 400, 'INVALID_REQUEST'],
    ['POST', '/jobs', { jobId: 'a', ...hourly, approve: 'all' }, 400, 'INVALID_REQUEST'],
    ['POST', '/jobs', { jobId: 'there', ...hourly }, 409, 'JOB_EXISTS'],
    ['PATCH', '/jobs/there?prompt=x', {}, 400, 'INVALID_REQUEST'],
    ['PATCH', '/jobs/none', { prompt: 'x' }, 404, 'NO_JOB'],
    ['POST', '/jobs/none/run', {}, 404, 'NO_JOB'],
    ['GET', '/jobs/none/history', undefined, 404, 'NO_JOB'],
    ['GET', '/schedule-preview?cron=61+*+*+*+*', undefined, 400, 'INVALID_CRON'],
  ] as const)('%s %s with %j is %i %s', async (method, path, body, status, code) => {
    const world = await served([]);
    await createScheduler(world.detent).add({ jobId: 'there', ...hourly });
    expect(await ask(world, path, method, body)).toMatchObject({ status, body: { code } });
  });

  it.each([
    ['jobId', { jobId: ' a', ...hourly }],
    ['every', { jobId: 'a', every: 'often', prompt: 'x' }],
    ['at', { jobId: 'a', at: 'tomorrow', prompt: 'x' }],
    ['at', { jobId: 'a', at: 1_000, prompt: 'x' }],
    ['delivery', { jobId: 'a', ...hourly, delivery: 'pigeon' }],
    ['misfire', { jobId: 'a', ...hourly, misfire: 'perhaps' }],
    ['overlap', { jobId: 'a', ...hourly, overlap: 'perhaps' }],
    ['grace', { jobId: 'a', ...hourly, grace: 'short' }],
    ['timeZone', { jobId: 'a', ...hourly, timeZone: 'UTC' }],
  ])('say that the field %s is wrong, for a form that shows it there', async (field, job) => {
    const world = await served([]);
    const { body } = await ask<{ details: unknown }>(world, '/jobs', 'POST', job);
    expect(body.details).toMatchObject({ field });
  });

  it('refuse the 101st run that waits', async () => {
    const world = await served([], {}, { limits: { requestsPerMinute: 1e6 } });
    await ask(world, '/jobs', 'POST', { jobId: 'a', ...hourly });
    const client = await world.connect();
    // The first one does not wait.
    for (let i = 0; i < 101; i++) await client.ask('cron.run', { jobId: 'a' });
    expect(await ask(world, '/jobs/a/run', 'POST')).toMatchObject({
      status: 429,
      body: { code: 'QUEUE_FULL' },
    });
  });

  it('have ids of any characters', async () => {
    const world = await served([], {}, { limits: { requestsPerMinute: 1e6 } });
    const ids = fc.oneof(
      fc.constantFrom(
        'a/b',
        '%',
        '%2F',
        '?',
        '#',
        'a b',
        '日报',
        '../x',
        '...',
        'enable',
        'a/enable',
        ':jobId',
        '+',
        '"',
        '\\',
      ),
      fc
        .string({ unit: anyCharacter, minLength: 1, maxLength: 20 })
        .filter((id) => /^[^\p{Cc}\p{Cs}]+$/u.test(id) && id.trim() === id && !/^\.{1,2}$/.test(id)),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(ids, { minLength: 1, maxLength: 3 }), async (few) => {
        for (const jobId of few)
          expect(await ask(world, '/jobs', 'POST', { jobId, ...hourly })).toMatchObject({ status: 201 });
        for (const jobId of few) {
          const place = `/jobs/${encodeURIComponent(jobId)}`;
          expect((await ask(world, place)).body.jobId).toBe(jobId);
          expect((await ask(world, `${place}/disable`, 'POST')).body).toMatchObject({
            jobId,
            state: 'disabled',
          });
          expect((await ask(world, place, 'DELETE')).status).toBe(200);
        }
      }),
      { numRuns: inSizes({ usual: 8, deep: 30, full: 30 }) },
    );
  });

  it('are shown a page at a time', async () => {
    const world = await served([]);
    const client = await world.connect();
    for (const jobId of ['a', 'b', 'c']) await client.ask('cron.add', { jobId, ...hourly });
    const page = await client.ask<{ jobs: JobView[] }>('cron.list', { afterJobId: 'a', limit: 1 });
    expect(page.jobs.map(({ jobId }) => jobId)).toEqual(['b']);
  });

  it('say what a schedule means before there is one', async () => {
    const world = await served([]);
    const query = new URLSearchParams({
      cron: '0 0 9 LW * ?',
      timeZone: 'Europe/Berlin',
      from: String(Date.UTC(2026, 10, 1)),
      count: '2',
    });
    expect((await ask<unknown>(world, `/schedule-preview?${query}`)).body).toMatchObject({
      schedule: { dialect: 'quartz' },
      next: [Date.UTC(2026, 10, 30, 8), Date.UTC(2026, 11, 31, 8)],
    });
  });
});

describe('a token', () => {
  it.each([
    ['a webhook', { delivery: 'https://hooks.example/secret' }],
    ['a webhook as an object', { delivery: [{ kind: 'webhook', url: 'https://hooks.example/x' }] }],
    ['a file', { delivery: ['console', 'file:out.md'] }],
    ['an alert to a webhook', { alert: 'https://hooks.example/secret' }],
    ['limits', { limits: { maxCostUsd: 100 } }],
    ['a budget', { budget: 'team' }],
  ])('without the scope admin gives a job no %s', async (_, fields) => {
    const world = await served([], { budgets: { team: { maxTokens: 1000 } } });
    const token = await world.token({ scopes: writing });
    const asked = { jobId: 'a', ...hourly, ...fields };
    const [field] = Object.keys(fields);
    expect(await ask(world, '/jobs', 'POST', asked, token)).toMatchObject({
      status: 403,
      body: { details: { missing: ['admin'], fields: [field] } },
    });
    await ask(world, '/jobs', 'POST', { jobId: 'a', ...hourly }, token);
    expect(await ask(world, '/jobs/a', 'PATCH', fields, token)).toMatchObject({ status: 403 });
    expect((await ask(world, '/jobs/a', 'PATCH', fields)).status).toBe(200);
  });

  it('without it does not put its own prompt into a job that an administrator gave more', async () => {
    const world = await served([]);
    const token = await world.token({ scopes: writing });
    await ask(world, '/jobs', 'POST', { jobId: 'a', ...hourly, limits: { maxCostUsd: 100 } });
    expect(await ask(world, '/jobs/a', 'PATCH', { prompt: 'Spend it.' }, token)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect((await ask(world, '/jobs/a/pause', 'POST', {}, token)).status).toBe(200);
  });

  it('without it is not shown where a webhook leads', async () => {
    const world = await served([]);
    await ask(world, '/jobs', 'POST', { jobId: 'a', ...hourly, delivery: 'https://hooks.example/secret' });
    const token = await world.token({ scopes: ['read'] });
    for (const path of ['/jobs', '/jobs/a', '/jobs/a/history'])
      expect(JSON.stringify((await ask(world, path, 'GET', undefined, token)).body)).not.toContain('secret');
    expect((await ask(world, '/jobs/a')).body.deliver).toEqual([
      { kind: 'webhook', url: 'https://hooks.example/secret' },
    ]);
  });

  it('that may only read changes nothing', async () => {
    const world = await served([]);
    await ask(world, '/jobs', 'POST', { jobId: 'a', ...hourly });
    const token = await world.token({ scopes: ['read'] });
    for (const path of ['/jobs', '/jobs/a/run', '/jobs/a/pause'])
      expect(await ask(world, path, 'POST', {}, token)).toMatchObject({ status: 403 });
    expect(await ask(world, '/jobs/a', 'DELETE', undefined, token)).toMatchObject({ status: 403 });
    expect((await ask(world, '/jobs/a', 'GET', undefined, token)).status).toBe(200);
  });
});

describe('a user', () => {
  it('has jobs in a name space of their own', async () => {
    const world = await served([]);
    const [bob, carol] = [await world.token({ userId: 'bob' }), await world.token({ userId: 'carol' })];
    const joined = { jobId: 'daily', ...hourly, session: 'notes' };
    const first = await ask(world, '/jobs', 'POST', joined, bob);
    const second = await ask(
      world,
      '/jobs',
      'POST',
      { jobId: 'daily', ...hourly, prompt: 'For Carol.' },
      carol,
    );
    expect([first.body.jobId, second.body.jobId]).toEqual(['bob:daily', 'carol:daily']);
    expect([first.body.userId, first.body.sessionId]).toEqual(['bob', 'bob:notes']);
    for (const name of ['daily', 'bob:daily'])
      expect((await ask(world, `/jobs/${name}`, 'GET', undefined, bob)).body.prompt).toBe('Sum up.');
    expect(await ask(world, '/jobs', 'POST', { jobId: 'daily', ...hourly }, bob)).toMatchObject({
      status: 409,
    });
    expect(await ask(world, '/jobs/bob:daily', 'DELETE', undefined, carol)).toMatchObject({ status: 404 });
    const list = await ask<{ jobs: JobView[] }>(world, '/jobs', 'GET', undefined, carol);
    expect(list.body.jobs.map(({ jobId }) => jobId)).toEqual(['carol:daily']);
  });

  it('has results sent to sessions of their own', async () => {
    const world = await served([{ text: 'hi' }]);
    await world.detent.run('hi', { sessionId: 'alices', principal: { userId: 'alice' } }).result;
    const bob = await world.token({ userId: 'bob' });
    const asked = {
      jobId: 'a',
      ...hourly,
      delivery: 'session:alices',
      alert: [{ kind: 'session', session: 'mine' }],
    };
    expect((await ask(world, '/jobs', 'POST', asked, bob)).body).toMatchObject({
      deliver: [{ kind: 'session', session: 'bob:alices' }],
      alert: [{ kind: 'session', session: 'bob:mine' }],
    });
  });

  it('has as many jobs as the gateway says', async () => {
    const world = await served([], {}, { limits: { maxJobsPerUser: 1 } });
    const [bob, carol] = [await world.token({ userId: 'bob' }), await world.token({ userId: 'carol' })];
    await ask(world, '/jobs', 'POST', { jobId: 'a', ...hourly }, bob);
    expect(await ask(world, '/jobs', 'POST', { jobId: 'b', ...hourly }, bob)).toMatchObject({
      status: 429,
      body: { code: 'TOO_MANY_JOBS' },
    });
    expect((await ask(world, '/jobs', 'POST', { jobId: 'b', ...hourly }, carol)).status).toBe(201);
  });
});

/** The slots of the job `daily` once the first has ended. */
async function endedSlots(world: Served) {
  for (;;) {
    const { body } = await ask<{ slots: { n: number; status: string; runId: string }[] }>(
      world,
      '/jobs/daily/history',
    );
    if (body.slots[0]?.status === 'ok' || body.slots[0]?.status === 'failed') return body.slots;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('variables of the host that sign webhooks', () => {
  const signedWith = (secretEnv: string, url = 'https://hooks.example/x') => ({
    ...hourly,
    delivery: { kind: 'webhook', url, secretEnv },
  });

  async function withTenants() {
    const world = await served([], { webhooks: { secretEnv: { acme: ['ACME_KEY'], other: ['OTHER_KEY'] } } });
    const { id: tenantId } = await world.detent.tenants.create({ name: 'acme' });
    const acme = await world.token({ tenantId });
    const add = (token: string, jobId: string, job: object) =>
      ask(world, '/jobs', 'POST', { jobId, ...job }, token);
    const change = (token: string, job: object) => ask(world, '/jobs/kept', 'PATCH', job, token);
    return { ...world, tenantId, acme, add, change };
  }

  it.each(['OPENAI_API_KEY', 'OTHER_KEY', '__proto__', 'HOME'])(
    'are not named by an administrator of another tenant: %s',
    async (variable) => {
      const { acme, add, change } = await withTenants();
      const refused = { status: 403, body: { code: 'FORBIDDEN', detail: expect.stringContaining(variable) } };
      expect(await add(acme, 'a', signedWith(variable))).toMatchObject(refused);
      const { delivery: alert } = signedWith(variable);
      expect(await add(acme, 'b', { ...hourly, alert: ['console', alert] })).toMatchObject(refused);
      expect(await add(acme, 'kept', hourly)).toMatchObject({ status: 201 });
      expect(await change(acme, { delivery: [alert] })).toMatchObject(refused);
    },
  );

  it('are named by the host, and by a tenant that the configuration lists them for', async () => {
    const { acme, token, add } = await withTenants();
    expect((await add(await token(), 'hosts', signedWith('ANY'))).status).toBe(201);
    expect((await add(acme, 'own', signedWith('ACME_KEY'))).status).toBe(201);
  });

  it('stay with the address that the host gave them for', async () => {
    const { acme, detent, tenantId, change } = await withTenants();
    const job = { jobId: 'kept', ...signedWith('GIVEN') } as const;
    await createScheduler(detent).add(job as JobInput, { tenantId });
    expect((await change(acme, { delivery: job.delivery, prompt: 'Anew.' })).status).toBe(200);
    const { delivery } = signedWith('GIVEN', 'https://evil.example');
    expect((await change(acme, { delivery })).status).toBe(403);
  });
});
