import { describe, expect, it } from 'vitest';
import { methods } from '../../src/gateway/methods/methods.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { inputOf } from './inputs.ts';
import { served } from './support.ts';

const half = 'a\ud800';
/** Fields whose text is for people and models. */
const words = ['prompt', 'message', 'query', 'event', 'data', 'answer'];
const ids = { runId: 'r', otherRunId: 'r', sessionId: 's', callId: 'c1', jobId: 'j' };

describe('a name with half of a surrogate pair', () => {
  it('is refused in each field of each method', async () => {
    const { connect } = await served([]);
    const client = await connect();
    const tried: string[] = [];
    for (const method of methods) {
      const least = inputOf(method, ids);
      for (const [field, value] of Object.entries(least)) {
        if (typeof value !== 'string' || words.includes(field)) continue;
        tried.push(`${method.name} ${field}`);
        const answer = await client.request(method.name, { ...least, [field]: half });
        expect(answer, `${method.name} ${field}`).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
      }
    }
    expect(tried.length).toBeGreaterThan(50);
  });

  it.each([
    ['agent.run', { prompt: 'hi', agent: half }],
    ['agent.run', { prompt: 'hi', idempotencyKey: half }],
    ['agent.run', { prompt: 'hi', metadata: { [half]: 'x' } }],
    ['agent.run', { prompt: 'hi', tools: [half] }],
    ['run.list', { model: half }],
  ])('is refused in optional fields of %s: %j', async (method, input) => {
    const client = await (await served([])).connect();
    expect(await client.refused(method, input)).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('is refused of programs', async () => {
    const { detent } = await served([]);
    const code = (error: { code: string }) => error.code;
    const userId = half;
    expect(await detent.sessions.create({ sessionId: half }).catch(code)).toBe('INVALID_SESSION');
    expect(await detent.sessions.create({ userId }).catch(code)).toBe('INVALID_ARGUMENTS');
    expect(await detent.tokens.create({ scopes: ['read'], userId }).catch(code)).toBe('INVALID_ARGUMENTS');
    for (const request of [{ sessionId: half }, { principal: { userId } }, { agent: half }])
      expect(await detent.run('hi', request).started.catch(code)).toMatch(/^INVALID_/);
  });

  it('may stand in words', async () => {
    const { connect } = await served([{ text: 'hi' }]);
    await (await connect()).ask('agent.run', { prompt: half });
  });
});

describe('a session of Detent’s own', () => {
  it.each(['cron', 'task'])('is made by no user called %s', async (userId) => {
    const { connect, token, detent } = await served([{ text: 'hi' }, { text: 'hi' }]);
    const client = await connect(await token({ userId }));
    expect(await client.ask('session.create', { sessionId: 'daily' })).toEqual({
      sessionId: `%${userId === 'cron' ? '63ron' : '74ask'}:daily`,
    });
    expect((await client.ask('agent.run', { prompt: 'hi', sessionId: 'daily' })).sessionId).toMatch(/^%/);
    expect((await client.ask('session.get', { sessionId: 'daily' })).sessionId).toMatch(/^%/);
    // The host's own session of that name is free.
    const run = detent.run('hi', { sessionId: `${userId}:daily` });
    expect((await run.result).status).toBe('done');
  });

  it('is made for no user by programs', async () => {
    const { detent } = await served([]);
    const code = (error: { code: string }) => error.code;
    const principal = { userId: 'ann' };
    expect(await detent.run('hi', { sessionId: 'cron:daily', principal }).started.catch(code)).toBe(
      'INVALID_SESSION',
    );
    expect(await detent.sessions.create({ sessionId: 'task:x.c1', userId: 'ann' }).catch(code)).toBe(
      'INVALID_SESSION',
    );
  });
});

it.each(['queue', 'steer', 'interrupt'])(
  'takes no run in the session of a workflow at work, by %s',
  async (mode) => {
    const { connect, detent } = await served([], { workflows: [orderWorkflow] });
    const client = await connect();
    const { runId, sessionId } = await client.ask('workflow.start', {
      workflow: 'order',
      input: { order: 'o1' },
    });
    const ofSession = async () => (await detent.runs.list({ sessionId: String(sessionId) })).length;
    // It has begun all that it begins by itself.
    await expect.poll(async () => (await detent.runs.show(String(runId))).status).toBe('waiting');
    const before = await ofSession();
    expect(await client.refused('agent.run', { prompt: 'hi', sessionId, mode })).toMatchObject({
      code: 'TAKES_NO_MESSAGES',
    });
    expect(await client.refused('agent.run', { prompt: 'hi', after: runId })).toMatchObject({
      code: 'TAKES_NO_MESSAGES',
    });
    expect(await ofSession()).toBe(before);
  },
);

it('tells administrators of other tenants nothing of the machine', async () => {
  const { connect, token, detent } = await served([]);
  const { id: tenantId } = await detent.tenants.create({ name: 'guests' });
  const host = await connect();
  const other = await connect(await token({ tenantId }));
  for (const method of ['config.get', 'config.origins']) {
    await host.ask(method);
    expect(await other.refused(method)).toMatchObject({ code: 'FORBIDDEN' });
  }
  expect(await host.ask('skill.list')).toHaveProperty('skills.folders');
  expect(await other.ask('skill.list')).not.toHaveProperty('skills.folders');
});
