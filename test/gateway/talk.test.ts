import { describe, expect, it } from 'vitest';
import { httpMethods } from '../../src/gateway/http/routes.ts';
import { methods } from '../../src/gateway/methods/methods.ts';
import { openAiMethods } from '../../src/gateway/openai/routes.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { tool } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { type Ids, inputOf, requestOf } from './inputs.ts';
import { served } from './support.ts';

const customer = ['talk'] as const;
/** Stands in the instructions of the agents, in what another agent said, and in what another user was told. */
const inside = 'Xanadu';
/** Fields of costs, models, policy and contexts. */
const fieldsInside =
  /"(?:costUsd|usage|spent|model|models|reasoning|context|services|timers|tainted|skills|withdrawn|switches|call|total|budget|inputTokens|summary)":/;

const asks: ScriptLine = { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which size?' } }] };
const pays: ScriptLine = { toolCalls: [{ name: 'pay', arguments: { amount: 1 } }] };
const shows: ScriptLine = { toolCalls: [{ name: 'showCart', arguments: {} }] };
const says = (text: string): ScriptLine => ({ text, reasoning: inside, usage: { inputTokens: 77 } });

const listOf = <T>(value: unknown) => value as T[];

const shop = (script: readonly ScriptLine[]) =>
  served(
    script,
    {
      agents: { shop: { systemPrompt: inside }, staff: { systemPrompt: inside } },
      tools: { define: [tool('pay', { sideEffect: 'unsafe', confirm: true })] },
      workflows: [orderWorkflow],
    },
    { onError: () => {} },
  );

describe('a token with the scope talk alone', () => {
  it('is for one user', async () => {
    const { detent } = await shop([]);
    await expect(detent.tokens.create({ scopes: customer })).rejects.toMatchObject({ code: 'INVALID_SCOPE' });
    await expect(
      detent.tokens.create({ scopes: customer, userId: 'ann', sees: 'tenant' }),
    ).rejects.toMatchObject({ code: 'INVALID_SCOPE' });
  });

  it.each([{ userId: null }, { userId: 'ann', sees: 'tenant' as const }])(
    'is nobody of %o to a host',
    async (said) => {
      const authenticate = () => ({ tenantId: 1, scopes: customer, ...said });
      const { http } = await served([], {}, { authenticate });
      expect(await http('/api/v1/runs', { token: 'hers' })).toMatchObject({
        status: 403,
        body: { code: 'INVALID_CALLER' },
      });
    },
  );

  it('converses: is asked, answers, performs its calls, steers, cancels, names and deletes', async () => {
    const { connect, token } = await shop([
      asks,
      says('M it is'),
      shows,
      says('seen'),
      ...Array(9).fill(asks),
    ]);
    const ann = await connect(await token({ scopes: customer, userId: 'ann' }));
    const run = { agent: 'shop', sessionId: 'main' };
    const { runId } = await ann.ask('agent.run', { prompt: 'a shirt', ...run });
    const asking = await ann.ask('agent.wait', { runId });
    expect(asking).toMatchObject({ status: 'waiting', pending: [{ question: { text: 'Which size?' } }] });
    expect(listOf<{ verdict?: string }>(asking.allowed).map(({ verdict }) => verdict)).toContain('answer');
    const callId = listOf<{ callId: string }>(asking.pending)[0]?.callId;
    await ann.ask('question.answer', { runId, callId, answer: 'M' });
    expect(await ann.ask('agent.wait', { runId })).toMatchObject({ text: 'M it is' });

    const clientTools = [{ name: 'showCart' }];
    const second = await ann.ask('agent.run', { prompt: 'my cart', ...run, clientTools });
    const shown = await ann.ask('agent.wait', { runId: second.runId });
    const call = listOf<{ callId: string }>(shown.pending)[0]?.callId;
    await ann.ask('client.result', { runId: second.runId, callId: call, result: 'empty' });
    expect(await ann.ask('agent.wait', { runId: second.runId })).toMatchObject({ text: 'seen' });

    const third = await ann.ask('agent.run', { prompt: 'more', ...run });
    await ann.ask('agent.wait', { runId: third.runId });
    await ann.ask('agent.steer', { runId: third.runId, message: 'no, less' });
    expect(await ann.ask('agent.cancel', { runId: third.runId })).toEqual({ cancelled: true });
    await ann.ask('session.update', { sessionId: 'main', title: 'Shirts' });
    expect((await ann.ask('session.list')).sessions).toMatchObject([{ title: 'Shirts', runs: 3 }]);
    await ann.ask('session.delete', { sessionId: 'main' });
    expect(await ann.ask('run.list')).toEqual({ runs: [] });
    expect(JSON.stringify(ann.events)).not.toMatch(fieldsInside);
    expect(JSON.stringify(ann.events)).not.toContain(inside);
  });

  it('decides on no call that staff decides on, and finds no such command', async () => {
    const { connect, token } = await shop([pays]);
    const ann = await connect(await token({ scopes: customer, userId: 'ann' }));
    const { runId } = await ann.ask('agent.run', { prompt: 'pay', agent: 'shop' });
    const view = await ann.ask('agent.wait', { runId });
    const [asked] = listOf<{ callId: string; why: string }>(view.pending);
    expect(asked?.why).toBe('the rules of this service say so');
    expect(listOf<{ type: string }>(view.allowed).map(({ type }) => type)).toEqual([
      'run.message',
      'run.cancel',
    ]);
    const decision = { runId, callId: asked?.callId, verdict: 'approve' };
    expect(await ann.refused('tool.confirm', decision)).toMatchObject({ code: 'FORBIDDEN' });
    for (const field of [{ approve: 'all' }, { model: 'test/script' }, { system: 'obey' }, { budget: '1' }])
      expect(await ann.refused('agent.run', { prompt: 'pay', ...field })).toMatchObject({
        code: 'FORBIDDEN',
      });
  });

  it('speaks through clients of OpenAI, which are not told what it took', async () => {
    const { http, token } = await shop([says('hello'), says('hello'), says('hello')]);
    const ask = { token: await token({ scopes: customer, userId: 'ann' }), method: 'POST' };
    const messages = [{ role: 'user', content: 'hi' }];
    const chat = await http('/v1/chat/completions', { ...ask, body: { model: 'shop', messages } });
    expect(chat).toMatchObject({ status: 200, body: { choices: [{ message: { content: 'hello' } }] } });
    expect(chat.body).not.toHaveProperty('usage');
    const response = await http('/v1/responses', { ...ask, body: { model: 'shop', input: 'hi' } });
    expect(response.body).toMatchObject({ status: 'completed', usage: null });
    const again = await http(`/v1/responses/${response.body.id}`, { token: ask.token });
    expect(again.body).toMatchObject({ status: 'completed', usage: null });
    const include = { stream: true, stream_options: { include_usage: true } };
    const streamed = await http('/v1/chat/completions', {
      ...ask,
      body: { model: 'shop', messages, ...include },
    });
    expect(String(streamed.body)).toContain('hello');
    expect(String(streamed.body)).not.toContain('usage');
  });
});

describe('to a token with talk and an agent, by any method and route', () => {
  /** Ann has a run that is over and one that waits; Bob has one, and staff has one of Ann's own. */
  const worldOf = async () => {
    const world = await shop([says('fine'), pays, pays, says(inside), ...Array(99).fill(says('fine'))]);
    const { detent, token } = world;
    const as = (userId: string) => ({ principal: { userId } });
    const over = await detent.run('hi', { agent: 'shop', sessionId: 'ann:main', ...as('ann') }).result;
    const waits = await detent.run('pay', { agent: 'shop', sessionId: 'ann:till', ...as('ann') }).result;
    const bobs = await detent.run(inside, { agent: 'shop', sessionId: 'bob:main', ...as('bob') }).result;
    const staffs = await detent.run('hm', { agent: 'staff', sessionId: 'ann:desk', ...as('ann') }).result;
    const callId = String(waits.pending[0]?.callId);
    const request = { userId: 'ann', agents: ['shop'], workflows: [] };
    const ann = (await detent.tokens.create({ scopes: customer, ...request })).token;
    const own: Ids[] = [
      { runId: over.runId, otherRunId: waits.runId, sessionId: 'main', callId, jobId: 'none' },
      { runId: waits.runId, otherRunId: over.runId, sessionId: 'till', callId, jobId: 'none' },
    ];
    const others: Ids[] = [
      { runId: bobs.runId, otherRunId: over.runId, sessionId: 'bob:main', callId, jobId: 'none' },
      { runId: staffs.runId, otherRunId: over.runId, sessionId: 'desk', callId, jobId: 'none' },
    ];
    return { ...world, ann, own, others, token };
  };
  /** What a client asked for is in its own words. */
  const unsaid = (answer: unknown) => JSON.stringify(answer).replaceAll(`"query":"${inside}"`, '');

  it('the feed says which of its own runs moved, and not how', async () => {
    const { ann, connect, detent } = await worldOf();
    const client = await connect(ann);
    await client.ask('feed.subscribe', {});
    await detent.run(inside, { agent: 'shop', sessionId: 'bob:main', principal: { userId: 'bob' } }).result;
    await detent.run(inside, { agent: 'staff', sessionId: 'ann:desk', principal: { userId: 'ann' } }).result;
    const { runId } = await client.ask('agent.run', { prompt: 'hi', sessionId: 'new', agent: 'shop' });
    const isEnd = ({ event, payload }: { event: string; payload?: unknown }) =>
      event === 'run.moved' && (payload as { ended?: boolean }).ended === true;
    await client.saw(isEnd);
    const moved = client.events.filter(({ event }) => event === 'run.moved');
    for (const { payload } of moved)
      expect(payload).toEqual({
        ...{ runId, sessionId: expect.stringMatching(/new$/), cursor: expect.any(Number) },
        ...{ seq: expect.any(Number), at: expect.any(Number) },
        ...{ waits: expect.any(Boolean), ended: expect.any(Boolean) },
      });
  });

  it('there is nothing of other agents, other users, costs or prompts', async () => {
    const { ann, connect, http, own, others } = await worldOf();
    const client = await connect(ann);
    const last = ['session.clear', 'session.delete', 'agent.cancel'];
    const inOrder = methods.toSorted((a, b) => last.indexOf(a.name) - last.indexOf(b.name));
    for (const method of inOrder)
      for (const ids of [...others, ...own]) {
        const input = { ...inputOf(method, ids), ...('agent' in method.input.shape && { agent: 'shop' }) };
        const answer = await client.request(method.name, input);
        expect(unsaid(answer), method.name).not.toContain(inside);
        expect(JSON.stringify(answer), method.name).not.toMatch(fieldsInside);
        if (!method.talk) expect(answer, method.name).toMatchObject({ error: { code: 'FORBIDDEN' } });
        if (!method.http) continue;
        const { path, init } = requestOf(method, input);
        const { status, body } = await http(path, { ...init, token: ann });
        expect(unsaid(body), path).not.toContain(inside);
        expect(JSON.stringify(body), path).not.toMatch(fieldsInside);
        if (!method.talk) expect(status, path).toBe(403);
      }
    const routes = httpMethods.filter((one) => !methods.includes(one));
    const told = client.events.filter(({ event }) => event === 'run.moved');
    expect(JSON.stringify(told)).not.toContain(inside);
    expect(routes.map(({ name, talk = false }) => [name, talk])).toEqual([
      ['run.stream', true],
      ['feed.stream', false],
    ]);
    expect(openAiMethods.filter(({ talk }) => !talk)).toEqual([]);
  });

  it('a stream has the same events as the timeline, with no more in them', async () => {
    const { ann, http, own } = await worldOf();
    const [{ runId }] = own as [Ids];
    const read = await http(`/api/v1/runs/${runId}/timeline`, { token: ann });
    const streamed = await http(`/api/v1/runs/${runId}/events`, { token: ann });
    const events = [...String(streamed.body).matchAll(/^data: (.*)$/gm)].map(([, data]) =>
      JSON.parse(`${data}`),
    );
    expect(events).toEqual((read.body as unknown as { events: unknown[] }).events);
    expect(events.map(({ event }) => event)).toContain('usage');
    expect(JSON.stringify(events)).not.toMatch(fieldsInside);
    expect(JSON.stringify(events)).not.toContain(inside);
  });
});
