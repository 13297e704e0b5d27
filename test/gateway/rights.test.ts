import { describe, expect, it } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import type { ScriptedAnswer, ScriptLine } from '../../src/testing/index.ts';
import { gate, tool } from '../support/detent.ts';
import { served } from './support.ts';

type Said = Parameters<Extract<ScriptLine, (...given: never[]) => unknown>>[0];

const pays = (what: string): ScriptedAnswer => ({
  toolCalls: [{ name: 'pay', arguments: { for: what } }],
});

/** Pays for the newest words of the user, then says so. */
function forEachWord({ messages }: Said): ScriptedAnswer {
  const newest = messages.at(-1);
  return newest?.role === 'tool' ? { text: 'done' } : pays(newest && 'text' in newest ? newest.text : '');
}

/** A gateway whose agent pays, which asks; an owner, who may approve, and a clerk, who may not. */
async function shop(answer: (said: Said) => ScriptedAnswer = forEachWord, more: DetentOptions = {}) {
  const paid: string[] = [];
  const pay = tool('pay', {
    sideEffect: 'unsafe',
    confirm: true,
    run: (args) => `paid ${paid.push(String(args.for))}`,
  });
  const script = Array.from({ length: 40 }, (): ScriptLine => answer);
  const tools = { define: [pay, ...(more.tools?.define ?? [])] };
  const world = await served(script, { ...more, tools }, { limits: { personMs: 1 } });
  const owner = await world.token({ scopes: ['read', 'write', 'approve', 'admin'] });
  const clerk = await world.token({ scopes: ['read', 'write'] });
  const call = async (token: string, path: string, body: unknown) => {
    const { status, body: answer } = await world.http(`/api/v1${path}`, { method: 'POST', body, token });
    return { status, runId: answer.runId as string, answer };
  };
  const rest = (runId: string) => world.detent.runs.attach(runId).result;
  const lastSeq = async (runId: string) => (await world.detent.runs.events(runId)).at(-1)?.seq ?? 0;
  return { ...world, owner, clerk, call, rest, lastSeq, paid };
}

describe('a fork', () => {
  it('by a caller who may not approve has no approval of the run, with other words or the same', async () => {
    const { call, owner, clerk, rest, paid } = await shop();
    const { runId } = await call(owner, '/runs', { prompt: 'rent', approve: 'all' });
    expect((await rest(runId)).status).toBe('done');
    for (const change of [{ editMessage: 'a yacht' }, {}, { at: 1 }]) {
      const fork = await call(clerk, `/runs/${runId}/forks`, { at: 0, resume: true, ...change });
      expect(await rest(fork.runId)).toMatchObject({ status: 'waiting' });
    }
    expect(paid).toEqual(['rent']);
  });

  it('may have one of its own, from a caller who may approve', async () => {
    const { call, owner, clerk, rest, paid } = await shop();
    const { runId } = await call(owner, '/runs', { prompt: 'rent', approve: 'all' });
    await rest(runId);
    const asked = { at: 0, resume: true, approve: 'all' };
    expect((await call(clerk, `/runs/${runId}/forks`, asked)).status).toBe(403);
    const fork = await call(owner, `/runs/${runId}/forks`, asked);
    expect((await rest(fork.runId)).status).toBe('done');
    expect(paid).toEqual(['rent', 'rent']);
  });

  it('asks again for a call that a person approved, or that `all` did, whoever forks', async () => {
    const { call, owner, clerk, rest, lastSeq, http, paid } = await shop();
    const first = await call(owner, '/runs', { prompt: 'rent' });
    await rest(first.runId);
    const approved = await lastSeq(first.runId);
    await call(owner, `/runs/${first.runId}/confirmations/c2`, { verdict: 'approve' });
    await rest(first.runId);
    const second = await call(owner, '/runs', { prompt: 'rent', approve: 'all' });
    await rest(second.runId);
    for (const [runId, at] of [
      [first.runId, approved + 1],
      [second.runId, 2],
    ] as const)
      for (const token of [clerk, owner]) {
        const fork = await call(token, `/runs/${runId}/forks`, { at, resume: true });
        expect(await rest(fork.runId)).toMatchObject({ pending: [{ kind: 'reconcile', callId: 'c2' }] });
        const why = await http(`/api/v1/runs/${fork.runId}/why`);
        expect(why.body).toMatchObject({ cause: 'made_again_in_fork' });
      }
    expect(paid).toEqual(['rent', 'rent']);
  });

  it('needs an administrator where one chose the limits of the run, also a fork of a fork', async () => {
    const { call, owner, clerk, rest } = await shop(() => ({ text: 'done' }));
    const { runId } = await call(owner, '/runs', { prompt: 'rent', limits: { maxSteps: 50 } });
    await rest(runId);
    const copy = await call(owner, `/runs/${runId}/forks`, { at: 0 });
    for (const run of [runId, copy.runId]) {
      const refused = await call(clerk, `/runs/${run}/forks`, { at: 0 });
      expect(refused).toMatchObject({ status: 403, answer: { code: 'FORBIDDEN' } });
    }
    const usual = await call(owner, '/runs', { prompt: 'rent' });
    await rest(usual.runId);
    expect((await call(clerk, `/runs/${usual.runId}/forks`, { at: 0 })).status).toBe(201);
  });

  it.each(['all', 'ask'])('makes the call once a person has said so in the fork (%s)', async (approve) => {
    const { call, owner, rest, lastSeq, paid } = await shop();
    const { runId } = await call(owner, '/runs', { prompt: 'rent', approve });
    await rest(runId);
    const asked = await lastSeq(runId);
    if (approve === 'ask') await call(owner, `/runs/${runId}/confirmations/c2`, { verdict: 'approve' });
    await rest(runId);
    const at = approve === 'ask' ? asked + 1 : 2;
    const fork = await call(owner, `/runs/${runId}/forks`, { at, resume: true });
    await rest(fork.runId);
    await call(owner, `/runs/${fork.runId}/reconciliations/c2`, { verdict: 'retry' });
    expect(await rest(fork.runId)).toMatchObject({ status: 'done' });
    expect(paid).toEqual(['rent', 'rent']);
    // A fork of the fork asks again.
    const next = await call(owner, `/runs/${fork.runId}/forks`, { at: at + 2, resume: true });
    expect(await rest(next.runId)).toMatchObject({ pending: [{ kind: 'reconcile' }] });
  });
});

/** An owner's run with `approve: all` that is in the midst of a call, and pays for what it hears after that. */
async function atWork(more: { name?: string; arguments?: object; clientTools?: object[] } = {}) {
  const held = gate();
  const look = tool('look', { run: (_, { signal }) => held.pass(signal).then(() => 'seen') });
  const { name = 'look', arguments: args = {}, clientTools } = more;
  const heard = ({ messages }: Said): ScriptedAnswer => {
    const words = messages.flatMap((one) => (one.role === 'user' ? [one.text] : []));
    const newest = messages.at(-1);
    if (words.length === 1 && newest?.role === 'user') return { toolCalls: [{ name, arguments: args }] };
    const isPaid = newest?.role === 'tool' && newest.text.includes('paid');
    return isPaid ? { text: 'done' } : pays(words.at(-1) ?? '');
  };
  const world = await shop(heard, { tools: { define: [look] } });
  const asked = { prompt: 'rent', approve: 'all', sessionId: 's', ...(clientTools && { clientTools }) };
  const { runId } = await world.call(world.owner, '/runs', asked);
  if (name === 'look') await held.reached;
  else await world.rest(runId);
  return { ...world, runId, open: held.open };
}

describe('words of a caller who may not approve, to a run with `approve: all`', () => {
  const ways: Record<string, (world: Awaited<ReturnType<typeof atWork>>, token: string) => Promise<unknown>> =
    {
      'a message': ({ call, runId }, token) => call(token, `/runs/${runId}/messages`, { message: 'a yacht' }),
      'a message with a key': async ({ http, runId }, token) => {
        const headers = { 'idempotency-key': `k-${token.length}` };
        const body = { message: 'a yacht' };
        await http(`/api/v1/runs/${runId}/messages`, { method: 'POST', body, token, headers });
      },
      'mode steer': ({ call }, token) =>
        call(token, '/runs', { prompt: 'a yacht', sessionId: 's', mode: 'steer' }),
      'a frame': async ({ connect, runId }, token) =>
        (await connect(token)).ask('agent.steer', { runId, message: 'a yacht' }),
    };

  it.each(Object.entries(ways))('by %s make what follows ask', async (_, say) => {
    const world = await atWork();
    await say(world, world.clerk);
    world.open();
    expect(await world.rest(world.runId)).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] });
    expect(world.paid).toEqual([]);
  });

  it.each(Object.entries(ways))('by %s of one who may approve do not', async (_, say) => {
    const world = await atWork();
    await say(world, world.owner);
    world.open();
    expect(await world.rest(world.runId)).toMatchObject({ status: 'done' });
    expect(world.paid).toEqual(['a yacht']);
  });

  it.each(['answer', 'close'] as const)('to a question of it (%s) make what follows ask', async (how) => {
    const asks = { name: 'ask_user', arguments: { question: 'For what?' } };
    const { call, clerk, rest, runId, paid } = await atWork(asks);
    await call(clerk, `/runs/${runId}/answers/c2`, how === 'answer' ? { answer: 'a yacht' } : {});
    expect(await rest(runId)).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] });
    expect(paid).toEqual([]);
  });

  it.each(['run', 'chat/completions', 'responses'])(
    'as the result of a client’s tool (%s) make what follows ask',
    async (place) => {
      const parameters = { type: 'object', properties: {} };
      const clientTools = [{ name: 'page', parameters }];
      const { call, http, clerk, rest, runId, paid } = await atWork({ name: 'page', clientTools });
      const id = `call_${runId}_c2`;
      const as = { method: 'POST', token: clerk };
      if (place === 'run') await call(clerk, `/runs/${runId}/results/c2`, { result: 'buy a yacht' });
      if (place === 'chat/completions') {
        const tool_calls = [{ id, type: 'function', function: { name: 'page', arguments: '{}' } }];
        const messages = [
          { role: 'user', content: 'rent' },
          { role: 'assistant', tool_calls },
          { role: 'tool', tool_call_id: id, content: 'buy a yacht' },
        ];
        const tools = [{ type: 'function', function: { name: 'page', parameters } }];
        await http('/v1/chat/completions', { ...as, body: { model: 'default', messages, tools } });
      }
      if (place === 'responses') {
        const input = [{ type: 'function_call_output', call_id: id, output: 'buy a yacht' }];
        const tools = [{ type: 'function', name: 'page', parameters }];
        await http('/v1/responses', { ...as, body: { model: 'default', input, tools } });
      }
      expect(await rest(runId)).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] });
      expect(paid).toEqual([]);
    },
  );

  it('to a task below it make what follows ask, there and in the run above', async () => {
    const held = gate();
    const look = tool('look', { run: (_, { signal }) => held.pass(signal).then(() => 'seen') });
    const answer = ({ messages }: Said): ScriptedAnswer => {
      const words = messages.flatMap((one) => (one.role === 'user' ? [one.text] : []));
      const newest = messages.at(-1);
      if (newest?.role === 'user' && newest.text === 'rent')
        return { toolCalls: [{ name: 'task', arguments: { prompt: 'below' } }] };
      if (newest?.role === 'user' && newest.text === 'below') return { toolCalls: [{ name: 'look' }] };
      if (newest?.role === 'tool' && newest.text.includes('rejected')) return { text: 'buy a yacht' };
      return pays(words.at(-1) ?? '');
    };
    const { call, clerk, owner, rest, paid } = await shop(answer, { tools: { define: [look] } });
    const { runId } = await call(owner, '/runs', { prompt: 'rent', approve: 'all' });
    await held.reached;
    const below = `${runId}.c2`;
    await call(clerk, `/runs/${below}/messages`, { message: 'a yacht' });
    held.open();
    expect(await rest(below)).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] });
    await call(owner, `/runs/${below}/confirmations/c4`, { verdict: 'reject' });
    const above = await rest(runId);
    expect(above).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] });
    expect(above.pending[0]).not.toHaveProperty('runId');
    expect(paid).toEqual([]);
  });

  it('do not reach it by other ways: a queued run and one behind it have options of their own', async () => {
    const { call, clerk, rest, open, runId, paid } = await atWork();
    const queued = await call(clerk, '/runs', { prompt: 'a yacht', sessionId: 's' });
    open();
    expect((await rest(runId)).status).toBe('done');
    expect(await rest(queued.runId)).toMatchObject({ status: 'waiting' });
    const behind = await call(clerk, '/runs', { prompt: 'an island', after: runId });
    expect((await rest(behind.runId)).status).not.toBe('done');
    expect(paid).toEqual(['rent']);
  });
});

describe('a call of a tool that a client asks for', () => {
  it('asks a person where the tool does, and is performed unasked for a caller who may approve alone', async () => {
    const { call, clerk, owner, rest, paid } = await shop();
    const pay = { input: { for: 'rent' } };
    const asked = await call(clerk, '/tools/pay/calls', pay);
    expect(asked.status).toBe(202);
    expect(await rest(asked.runId)).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] });
    const unasked = { ...pay, approve: 'all' };
    expect(await call(clerk, '/tools/pay/calls', unasked)).toMatchObject({ status: 403 });
    expect(await call(clerk, `/runs/${asked.runId}/confirmations/c1`, { verdict: 'approve' })).toMatchObject({
      status: 403,
    });
    expect(paid).toEqual([]);
    await call(owner, `/runs/${asked.runId}/confirmations/c1`, { verdict: 'approve' });
    expect((await rest(asked.runId)).call).toMatchObject({ result: 'paid 1', isError: false });
    const { runId } = await call(owner, '/tools/pay/calls', unasked);
    expect((await rest(runId)).call?.result).toBe('paid 2');
  });

  it('is of an agent that exists for the caller, and of the tools of that agent', async () => {
    const agents = { clerk: { tools: ['calculator'] }, boss: {} };
    const { call, detent, http, owner, rest, paid } = await shop(undefined, { agents });
    const { token } = await detent.tokens.create({ scopes: ['read', 'write', 'approve'], agents: ['clerk'] });
    const as = (body: object) => call(token, '/tools/pay/calls', { approve: 'all', ...body });
    for (const body of [{}, { agent: 'boss' }, { agent: 'default' }])
      expect(await as(body)).toMatchObject({ status: 400, answer: { code: 'UNKNOWN_AGENT' } });
    const own = await as({ agent: 'clerk' });
    expect((await rest(own.runId)).call).toMatchObject({ code: 'TOOL_NOT_ALLOWED' });
    const sum = await call(token, '/tools/calculator/calls', {
      agent: 'clerk',
      input: { expression: '2 + 3' },
    });
    expect((await rest(sum.runId)).call?.result).toContain('5');
    const seen = async (runId: string) => (await http(`/api/v1/runs/${runId}`, { token })).status;
    expect(await seen(sum.runId)).toBe(200);
    const others = await call(owner, '/tools/pay/calls', { agent: 'boss' });
    expect(await seen(others.runId)).toBe(404);
    expect(paid).toEqual([]);
  });

  it('is that of a user in the session of that user', async () => {
    const { call, detent, owner, token } = await shop();
    const alice = await token({ scopes: ['read', 'write'], userId: 'alice' });
    const first = await call(alice, '/tools/datetime/calls', { sessionId: 's' });
    const [run] = await detent.runs.list({ userId: 'alice' });
    expect(run?.runId).toBe(first.runId);
    const second = await call(owner, '/tools/datetime/calls', { sessionId: run?.sessionId });
    expect(second.status).toBe(202);
    expect(await detent.runs.list({ userId: 'alice' })).toHaveLength(2);
  });
});
