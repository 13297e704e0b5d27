import { describe, expect, it } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import type { Scope } from '../../src/protocol/access.ts';
import { jobsOf } from '../../src/schedule/door.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { tool } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { type FrameClient, served } from './support.ts';

const pays: ScriptLine = { toolCalls: [{ name: 'pay', arguments: { to: 'shop' } }] };
const answer: ScriptLine = { text: 'Done.' };
const all: readonly Scope[] = ['read', 'write', 'approve'];

async function world(script: ScriptLine[], options: DetentOptions = {}) {
  let paid = 0;
  const pay = tool('pay', { sideEffect: 'unsafe', confirm: true, run: () => `paid ${++paid}` });
  const gateway = await served(script, { tools: { define: [pay] }, ...options });
  const { detent, connect } = gateway;
  const clientOf = async (request: object) =>
    connect((await detent.tokens.create({ scopes: all, ...request })).token);
  const manager = await clientOf({ userId: 'ada', sees: 'tenant' });
  const customer = await clientOf({ userId: 'bob' });
  /** A run of the customer that waits for an approval. */
  const asked = async (by: FrameClient = customer, more: object = {}) => {
    const { runId } = await by.ask<{ runId: string }>('agent.run', { prompt: 'pay', ...more });
    const { pending } = await detent.runs.attach(runId).result;
    return { runId, callId: String(pending[0]?.callId) };
  };
  return { ...gateway, paid: () => paid, clientOf, manager, customer, asked };
}

describe('seeing the whole tenant', () => {
  it('decides about the run of another under its own name, which the events and runs why tell', async () => {
    const { detent, manager, customer, asked } = await world([pays, answer]);
    const call = await asked();
    expect((await manager.ask('run.list')).runs).toMatchObject([{ runId: call.runId }]);
    await manager.ask('tool.confirm', { ...call, verdict: 'approve' });
    const { events } = await customer.ask<{ events: object[] }>('run.events', { runId: call.runId });
    expect(events).toContainEqual(
      expect.objectContaining({
        event: 'tool.confirm_resolved',
        payload: { callId: 'c2', verdict: 'approve', by: 'ada' },
      }),
    );
    await detent.runs.attach(call.runId).result;
    expect((await detent.runs.why(call.runId)).details).toContain('ada approved c2 pay');
  });

  it('has sessions and jobs of its own, and goes on with those of others as theirs', async () => {
    const { detent, manager, customer } = await world([answer, answer, answer]);
    const bobs = await customer.ask('agent.run', { prompt: 'hi', sessionId: 'main' });
    await detent.runs.attach(String(bobs.runId)).result;
    const own = await manager.ask('agent.run', { prompt: 'hi', sessionId: 'main' });
    expect([bobs.sessionId, own.sessionId]).toEqual(['bob:main', 'ada:main']);
    const later = await manager.ask('agent.run', { prompt: 'more', sessionId: 'bob:main' });
    expect(await detent.runs.ownerOf(String(later.runId))).toEqual({ userId: 'bob', sessionId: 'bob:main' });
    await manager.ask('cron.add', { jobId: 'daily', every: '1h', prompt: 'hi' });
    expect((await (await jobsOf(detent)).find(1, 'ada:daily'))?.row.user).toBe('ada');
    expect((await customer.ask('cron.list')).jobs).toEqual([]);
  });
});

describe('a decision names', () => {
  it.each([
    [{ name: 'ci' }, 'token:ci'],
    [{ userId: 'token:ci', sees: 'tenant' }, 'user:token:ci'],
    [{ userId: 'program', sees: 'tenant' }, 'user:program'],
  ])('for a token of %j %s', async (request, by) => {
    const { detent, clientOf, asked } = await world([pays]);
    const call = await asked();
    const client = await clientOf(request);
    await client.ask('tool.confirm', { ...call, verdict: 'reject', reason: 'no' });
    const { runId } = call;
    const told = (await detent.runs.events(runId)).map(({ event }) => [event.type, event.by]);
    expect(told).toContainEqual(['confirm.decide', by]);
  });

  it('the program that names nobody, and who cancelled', async () => {
    const { detent, manager, customer, asked } = await world([pays, pays, pays]);
    const [first, second] = [await asked(), await asked(customer, { sessionId: 'other' })];
    await manager.ask('agent.cancel', { runId: first.runId });
    expect((await detent.runs.why(first.runId)).summary).toContain('cancelled by ada while');
    await detent.runs.confirm(second.runId, second.callId, { verdict: 'approve' });
    const events = await detent.runs.events(second.runId);
    expect(events.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: 'confirm.decide', by: 'program' }),
    );
  });
});

describe('an event of a workflow names who sent it', () => {
  it('to the operator and to the sender, whose own it is, but not to others', async () => {
    const { detent, clientOf, manager, customer } = await world([], { workflows: [orderWorkflow] });
    const operator = await clientOf({ name: 'ops', scopes: [...all, 'admin'] });
    const start = { workflow: 'order', input: { order: 'o1' } };
    const { runId } = await customer.ask<{ runId: string }>('workflow.start', start);
    await detent.runs.attach(runId).result;
    await manager.ask('workflow.answer', { runId, invocation: 'approval', answer: { approved: true } });
    await detent.runs.attach(runId).result;
    for (const client of [manager, customer]) await client.ask('run.subscribe', { runId });
    await customer.ask('workflow.send', { runId, event: { type: 'parcel.sent', note: 'at noon' } });
    expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done' });
    const content = JSON.stringify({ note: 'at noon' });
    const payload = { name: 'parcel.sent', from: 'outside', content };
    const read = async (client: FrameClient) => {
      const { events } = await client.ask<{ events: { payload: object }[] }>('run.events', { runId });
      const why = await client.ask<{ chain: { by?: string; says: string }[] }>('run.why', { runId });
      const trace = await client.ask<{ transitions: { by: object }[] }>('run.trace', { runId });
      const told = events.find((event) => JSON.stringify(event).includes('"parcel.sent","from":"outside"'));
      const { by, says } = why.chain.at(-1) ?? {};
      return [told?.payload, by, says, trace.transitions.at(-1)?.by];
    };
    const named = [{ ...payload, sentBy: 'bob' }, 'bob', content, { kind: 'person', who: 'bob' }];
    expect(await read(operator)).toEqual(named);
    expect(await read(customer)).toEqual(named);
    expect(await read(manager)).toEqual([payload, undefined, content, { kind: 'person' }]);
    const isIt = (event: { event: string }) =>
      event.event === 'workflow.event' && JSON.stringify(event).includes('noon');
    expect(await customer.saw(isIt)).toMatchObject({ payload: { sentBy: 'bob' } });
    expect((await manager.saw(isIt)).payload).toEqual(payload);
    const { event } = (await detent.runs.events(runId)).at(-1) ?? {};
    expect(event).toEqual({ type: 'parcel.sent', note: 'at noon' });
  });

  it('or the program, where none is named; a field of the event that is called by stays its own', async () => {
    const { detent } = await world([], { workflows: [orderWorkflow] });
    const { runId } = await detent.workflows.start('order', { order: 'o1' }).result;
    await detent.workflows.send(runId, { type: 'order.recalled', by: 'the shop', $by: 'none' } as never);
    const last = (await detent.runs.events(runId)).at(-1);
    expect(last).toMatchObject({ by: 'program', event: { by: 'the shop', $by: 'none' } });
  });
});

describe('with four eyes', () => {
  const policy = { fourEyes: ['pay', 'ask'] };

  it('nobody approves what they asked for, and another does', async () => {
    const { http, token, manager, customer, asked, paid, detent } = await world([pays, answer], { policy });
    const call = await asked(customer, { approve: 'all' });
    for (const decision of [
      { verdict: 'approve' },
      { verdict: 'approve', grant: {} },
      { verdict: 'modify', arguments: { to: 'bob' } },
    ]) {
      const refused = await customer.refused('tool.confirm', { ...call, ...decision });
      expect(refused).toMatchObject({ code: 'OWN_REQUEST', details: { askedBy: ['bob'] } });
      expect(refused.message).toContain('someone else');
    }
    const place = `/api/v1/runs/${call.runId}/confirmations/${call.callId}`;
    const body = { verdict: 'approve' };
    expect(await http(place, { method: 'POST', body, token: await token({ userId: 'bob' }) })).toMatchObject({
      status: 403,
    });
    const verdicts = async (client: typeof manager) => {
      const { allowed } = await client.ask<{ allowed: { verdict?: string }[] }>('run.get', {
        runId: call.runId,
      });
      return allowed.flatMap(({ verdict }) => verdict ?? []);
    };
    expect([await verdicts(customer), await verdicts(manager)]).toEqual([
      ['reject'],
      ['approve', 'reject', 'modify'],
    ]);
    expect(paid()).toBe(0);
    await manager.ask('tool.confirm', { ...call, verdict: 'approve' });
    await detent.runs.attach(call.runId).result;
    expect(paid()).toBe(1);
  });

  it('a message to the run, or a run in the session of another, asks for it, too', async () => {
    const script = [pays, pays, answer, pays];
    const { manager, clientOf, asked, customer, detent } = await world(script, { policy });
    const steered = await asked();
    await manager.ask('agent.steer', { runId: steered.runId, message: 'pay more' });
    const { pending } = await detent.runs.attach(steered.runId).result;
    const again = { runId: steered.runId, callId: String(pending[0]?.callId) };
    const refused = await manager.refused('tool.confirm', { ...again, verdict: 'approve' });
    expect(refused).toMatchObject({ code: 'OWN_REQUEST', details: { askedBy: ['ada', 'bob'] } });
    expect(await customer.ask('tool.confirm', { ...again, verdict: 'reject' })).toMatchObject({
      applied: true,
    });
    const clerk = await clientOf({ name: 'clerk' });
    const { sessionId } = await detent.runs.ownerOf(steered.runId);
    const begun = await asked(clerk, { sessionId });
    expect(await clerk.refused('tool.confirm', { ...begun, verdict: 'approve' })).toMatchObject({
      details: { askedBy: ['bob', 'token:clerk'] },
    });
    expect(await manager.ask('tool.confirm', { ...begun, verdict: 'approve' })).toMatchObject({
      applied: true,
    });
  });

  it('a fork asks for what it does, for those of its run and for who made it', async () => {
    const { manager, clientOf, asked, detent } = await world([pays, pays], { policy });
    const { runId } = await asked();
    const fork = { runId, at: 0, editMessage: 'pay me', resume: true };
    const forked = await manager.ask<{ runId: string }>('run.fork', fork);
    const { pending } = await detent.runs.attach(forked.runId).result;
    const call = { runId: forked.runId, callId: String(pending[0]?.callId), verdict: 'approve' };
    expect(await manager.refused('tool.confirm', call)).toMatchObject({
      code: 'OWN_REQUEST',
      details: { askedBy: ['ada', 'bob'] },
    });
    const other = await clientOf({ userId: 'eve', sees: 'tenant' });
    expect(await other.ask('tool.confirm', call)).toMatchObject({ applied: true });
  });

  it('what a grant, or a run that approves all, would let run asks each time', async () => {
    const { manager, asked, customer } = await world([pays, pays, answer], { policy });
    const call = await asked();
    await manager.ask('tool.confirm', { ...call, verdict: 'approve', grant: {} });
    const saw = await customer.saw(
      (event) => event.event === 'tool.confirm_request' && JSON.stringify(event).includes('"c4"'),
    );
    expect(saw).toMatchObject({ payload: { why: 'someone else must approve this' } });
  });

  it('it holds for what a workflow asks, whoever answers', async () => {
    const { detent, manager, customer } = await world([], { policy, workflows: [orderWorkflow] });
    const start = { workflow: 'order', input: { order: 'o1' } };
    const { runId } = await customer.ask<{ runId: string }>('workflow.start', start);
    await detent.runs.attach(runId).result;
    const decision = { runId, invocation: 'approval', answer: { approved: true } };
    expect(await customer.refused('workflow.answer', decision)).toMatchObject({ code: 'OWN_REQUEST' });
    expect(await manager.ask('workflow.answer', decision)).toMatchObject({ applied: true });
  });

  it('a program that asked for a run of nobody does not approve it, either', async () => {
    const { detent } = await world([pays], { policy });
    const { runId, pending } = await detent.run('pay').result;
    const approval = { verdict: 'approve' } as const;
    const callId = String(pending[0]?.callId);
    await expect(detent.runs.confirm(runId, callId, approval)).rejects.toMatchObject({ code: 'OWN_REQUEST' });
    expect(await detent.runs.confirm(runId, callId, { ...approval, by: 'ada' })).toMatchObject({
      applied: true,
    });
  });
});
