import { describe, expect, it } from 'vitest';
import { httpMethods } from '../../src/gateway/http/routes.ts';
import type { Method } from '../../src/gateway/methods/method.ts';
import { methods } from '../../src/gateway/methods/methods.ts';
import { openAiMethods } from '../../src/gateway/openai/routes.ts';
import { scopes } from '../../src/protocol/access.ts';
import { jobsOf } from '../../src/schedule/door.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { workflow } from '../../src/workflow/index.ts';
import { itDeep } from '../support/deep.ts';
import { tool } from '../support/detent.ts';
import { orderChart, orderWorkflow } from '../support/order-workflow.ts';
import { inSizes } from '../support/size.ts';
import { type Ids, inputOf, masked, nothing, requestOf } from './inputs.ts';
import { served } from './support.ts';

const both = [undefined, 'alice'];
const users = inSizes({ usual: ['alice'], deep: both, full: both });
/** The name of the agent and the workflow that the token does not list, and a word in everything of theirs. */
const hidden = 'Xanadu';
const pays: ScriptLine = { toolCalls: [{ name: hidden, arguments: { to: hidden } }] };
const hiddenWorkflow = workflow(orderChart, { id: hidden });

/** Two agents, of which the token lists one, with runs, sessions and jobs; all are of one user, or of none. */
const worldOf = async (userId: string | undefined) => {
  const pay = tool(hidden, { sideEffect: 'unsafe', confirm: true, run: () => hidden });
  const world = await served(
    [pays, pays, { text: 'hello' }, ...Array<ScriptLine>(99).fill({ text: 'fine' })],
    {
      tools: { define: [pay], allowed: ['*'] },
      agents: { support: { tools: ['read_file'] }, [hidden]: {} },
      workflows: [orderWorkflow, hiddenWorkflow],
    },
  );
  const { detent } = world;
  const as = { principal: { ...(userId !== undefined && { userId }) } };
  const parked = await detent.run(`${hidden}?`, { agent: hidden, sessionId: 'parlour', ...as }).result;
  const other = await detent.run(`${hidden}!`, { agent: hidden, sessionId: 'spare', ...as }).result;
  const own = await detent.run('hello', { agent: 'support', sessionId: 'desk', ...as }).result;
  const flow = await detent.workflows.start(hidden, { order: hidden }, as).result;
  const scheduler = createScheduler(detent);
  const user = { userId: userId ?? null };
  await scheduler.add({ jobId: 'ledger', every: '1h', prompt: hidden, agent: hidden }, user);
  await scheduler.add({ jobId: 'orders', every: '1h', workflow: hidden, input: { order: 'a' } }, user);
  await scheduler.add({ jobId: 'mine', every: '1h', prompt: 'hi', agent: 'support' }, user);
  const ids = { callId: String(parked.pending[0]?.callId), sessionId: 'parlour' };
  const victims: Ids[] = [
    { ...ids, runId: parked.runId, otherRunId: other.runId, jobId: 'ledger' },
    {
      ...ids,
      runId: flow.runId,
      otherRunId: own.runId,
      jobId: 'orders',
      sessionId: `workflow:${flow.runId}`,
    },
    { ...ids, runId: own.runId, otherRunId: other.runId, jobId: 'orders', sessionId: 'spare' },
  ];
  const everything = async () =>
    JSON.stringify([
      await detent.runs.list({ sessionId: 'parlour' }),
      await detent.runs.list({ sessionId: 'spare' }),
      await detent.runs.show(flow.runId),
      (await (await jobsOf(detent)).get(1, 'ledger')).row,
      (await (await jobsOf(detent)).get(1, 'orders')).row,
    ]);
  const limited = await detent.tokens.create({
    scopes,
    ...(userId !== undefined && { userId }),
    agents: ['support', 'gone'],
    workflows: ['order'],
  });
  return { ...world, victims, own, everything, limited: limited.token };
};

/** Who makes something finds a name taken, whoever has it. */
const makes = ({ makesSessions, makesJobs }: Method) => (makesSessions || makesJobs) ?? false;
const named = (method: Method, ids: Ids) => {
  const { shape } = method.input;
  return {
    ...inputOf(method, ids),
    ...('agent' in shape && { agent: ids === nothing ? 'nobody' : hidden }),
    ...('workflow' in shape && !('agent' in shape) && { workflow: ids === nothing ? 'none' : hidden }),
    ...(method.name.startsWith('machine.') && {
      name: ids === nothing ? 'workflow:none' : `workflow:${hidden}`,
    }),
    ...(method.name === 'skill.get' && { name: ids === nothing ? 'none' : hidden }),
  };
};
/** Errors say the name that was asked for, and nothing else of it. */
const unsaid = (answer: unknown) =>
  JSON.stringify(answer)
    .replaceAll(/(?:agent|skill|workflow|machine) \\*"(?:workflow:)?(?:Xanadu|none|nobody)\\*"/g, '')
    .replaceAll(/"(name|id|query)":"(?:Xanadu|none|nobody)"/g, '"$1":""');

describe.each(users)('what a token does not list, of user %s', (userId) => {
  it('does not exist for any method', async () => {
    const { connect, everything, limited, victims } = await worldOf(userId);
    const before = await everything();
    const client = await connect(limited);
    // What makes sessions comes last: of a user, they have names of their own.
    const inOrder = methods.toSorted((a, b) => Number(makes(a)) - Number(makes(b)));
    for (const method of inOrder)
      for (const victim of victims) {
        const real = await client.request(method.name, named(method, victim));
        expect(unsaid(real), method.name).not.toContain(hidden);
        expect(await everything(), method.name).toBe(before);
        if (method.name === 'run.diff')
          expect(real).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
        const isOfIds = !('runId' in method.input.shape) || victim !== victims[2];
        const isNaming = JSON.stringify(named(method, victim)) !== JSON.stringify(named(method, nothing));
        if (makes(method) || !isOfIds || !isNaming) continue;
        const none = await client.request(method.name, named(method, nothing));
        expect(masked(JSON.parse(unsaid(real)), victim), method.name).toEqual(
          masked(JSON.parse(unsaid(none)), nothing),
        );
      }
  });

  itDeep('does not exist for any place of the HTTP interface', async () => {
    const { http, everything, limited, victims } = await worldOf(userId);
    const before = await everything();
    for (const victim of victims)
      for (const method of httpMethods) {
        // It never ends; what it sends is that of feed.list.
        if (method.name === 'feed.stream') continue;
        const { path, init } = requestOf(method, named(method, victim));
        const { status, body } = await http(path, { ...init, token: limited });
        expect(unsaid({ status, body }), `${method.http?.verb} ${path}`).not.toContain(hidden);
        expect(await everything(), path).toBe(before);
      }
    expect(openAiMethods.map(({ http: place }) => `${place?.verb} ${place?.path}`).sort()).toEqual([
      'get /models',
      'get /models/{model}',
      'get /responses/{runId}',
      'post /chat/completions',
      'post /responses',
    ]);
    const ask = (path: string, body?: unknown) =>
      http(`/v1${path}`, { token: limited, ...(body !== undefined && { method: 'POST', body }) });
    expect((await ask('/models')).body.data).toMatchObject([{ id: 'support' }]);
    const messages = [{ role: 'user', content: 'hi' }];
    for (const model of [hidden, 'default', 'nobody', 'gone']) {
      expect((await ask(`/models/${model}`)).status).toBe(404);
      for (const asked of [
        await ask('/chat/completions', { model, messages }),
        await ask('/responses', { model, input: 'hi' }),
      ]) {
        expect(asked.status).toBe(404);
        expect(JSON.stringify(asked.body)).toContain(`there is no agent \\"${model}\\"; there are support`);
      }
    }
    expect((await ask(`/responses/resp_${victims[0]?.runId}`)).status).toBe(404);
    expect((await ask('/chat/completions', { model: 'support', messages })).status).toBe(200);
  });

  it('leaves what it lists as it is', async () => {
    const { connect, limited, own } = await worldOf(userId);
    const client = await connect(limited);
    expect((await client.ask('run.list')).runs).toMatchObject([{ runId: own.runId }]);
    expect((await client.ask('session.list')).sessions).toMatchObject([{ sessionId: 'desk' }]);
    expect((await client.ask('cron.list', { limit: 1 })).jobs).toMatchObject([{ jobId: 'mine' }]);
    expect((await client.ask('run.counts')).counts).toEqual({ done: 1 });
    expect((await client.ask('workflow.list')).workflows).toMatchObject([{ id: 'order' }]);
    expect(await client.ask('usage.get', { by: 'run' })).toMatchObject({ groups: [{ key: own.runId }] });
    expect(await client.ask('run.find', { word: 'last' })).toEqual({ runId: own.runId });
    expect(JSON.stringify(await client.ask('session.search', { query: 'hello' }))).toContain(own.runId);
    expect(
      await client.ask('agent.run', { prompt: 'again', agent: 'support', sessionId: 'desk' }),
    ).toMatchObject({ sessionId: 'desk' });
    // Left out, the agent is the default one, which is not listed.
    expect(await client.refused('agent.run', { prompt: 'hi' })).toMatchObject({ code: 'UNKNOWN_AGENT' });
    expect(await client.refused('cron.add', { jobId: 'new', every: '1h', prompt: 'hi' })).toMatchObject({
      code: 'UNKNOWN_AGENT',
    });
    expect(await client.refused('cron.update', { jobId: 'mine', agent: null })).toMatchObject({
      code: 'UNKNOWN_AGENT',
    });
  });
});

describe('a run of the workflow that a token lists', () => {
  it('can be answered, though a run of the default agent asks', async () => {
    const { detent, connect, limited } = await worldOf(undefined);
    const client = await connect(limited);
    const { runId } = await client.ask('workflow.start', { workflow: 'order', input: { order: 'o1' } });
    const parked = await detent.runs.attach(runId as string).result;
    const [asked] = parked.pending;
    expect(await client.ask('run.get', { runId: asked?.runId })).toMatchObject({ status: 'waiting' });
    const decision = { runId: asked?.runId, callId: asked?.callId, verdict: 'approve' };
    expect(await client.ask('tool.confirm', decision)).toMatchObject({ applied: true });
  });
});
