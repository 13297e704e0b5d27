import { describe, expect, it } from 'vitest';
import { orderWorkflow } from '../../support/order-workflow.ts';
import { served } from '../support.ts';

const world = () => served([], { workflows: [orderWorkflow] });

type World = Awaited<ReturnType<typeof world>>;

/** A run of the workflow, when it asks; and requests about it with that token. */
async function asking({ detent, http }: World, token?: string) {
  const ask = (path: string, body?: unknown) =>
    http(`/api/v1${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      ...(token !== undefined && { token }),
    });
  const started = await ask('/workflows/order/runs', { input: { order: 'o1' } });
  const runId = String(started.body.runId);
  await detent.runs.attach(runId).result;
  return { ask, started, runId };
}

describe('workflows over HTTP', () => {
  it('are listed, with what can be sent to them', async () => {
    const { http } = await world();
    const { body } = await http('/api/v1/workflows');
    const order = {
      id: 'order',
      version: 1,
      description: 'An order that a person approves, and that waits for its parcel.',
      events: ['order.recalled', 'parcel.sent'],
      services: [{ id: 'approval', src: 'approve', kind: 'ask' }],
    };
    expect(body).toMatchObject({ workflows: [order] });
    expect((await http('/api/v1/workflows/order')).body).toMatchObject(order);
    const none = await http('/api/v1/workflows/oder');
    expect([none.status, none.body.code]).toEqual([404, 'UNKNOWN_WORKFLOW']);
  });

  it('start, ask, take events, and end', async () => {
    const all = await world();
    const { ask, started, runId } = await asking(all);
    expect(started).toMatchObject({ status: 202, body: { sessionId: `workflow:${runId}` } });
    expect((await ask(`/runs/${runId}`)).body).toMatchObject({
      status: 'waiting',
      workflow: { id: 'order', state: 'approving', input: { order: 'o1' } },
      pending: [{ kind: 'confirm' }],
    });
    const answered = await ask(`/runs/${runId}/invocations/approval/answer`, { answer: { approved: true } });
    expect(answered).toMatchObject({ status: 200, body: { applied: true, verdict: 'approve' } });
    await expect
      .poll(async () => (await ask(`/runs/${runId}`)).body.workflow)
      .toMatchObject({ state: 'packing' });
    const { transitions } = (await ask(`/runs/${runId}/trace`)).body as unknown as {
      transitions: { label: string }[];
    };
    expect(transitions.map(({ label }) => label)).toEqual(['run.start', 'approval began', 'approval done']);
    expect((await ask(`/runs/${runId}/at/3`)).body).toMatchObject({ timers: [{ label: 'after 24 h' }] });
    const sent = await ask(`/runs/${runId}/events`, { event: { type: 'parcel.sent', note: 'soon' } });
    expect(sent).toMatchObject({ status: 200, body: { taken: true } });
    const over = await all.detent.runs.attach(runId).result;
    expect(over).toMatchObject({ status: 'done', output: { order: 'o1', note: 'soon' } });
    const late = await ask(`/runs/${runId}/events`, { event: { type: 'parcel.sent' } });
    expect(late.body).toMatchObject({ taken: false });
  });

  it.each([
    ['an input that does not fit', '/workflows/order/runs', { input: { odd: 1 } }, 400, 'INVALID_INPUT'],
    ['an unknown workflow', '/workflows/none/runs', {}, 404, 'UNKNOWN_WORKFLOW'],
    [
      'an event that does not fit',
      'events',
      { event: { type: 'parcel.sent', odd: 1 } },
      400,
      'INVALID_EVENT',
    ],
    [
      'an event that is Detent’s own',
      'events',
      { event: { type: 'service.done', effectId: 1 } },
      400,
      'RESERVED_EVENT',
    ],
    [
      'an event of XState',
      'events',
      { event: { type: 'xstate.done.actor.approval' } },
      400,
      'RESERVED_EVENT',
    ],
    [
      'an event that the chart does not have',
      'events',
      { event: { type: 'parcel.lost' } },
      400,
      'UNKNOWN_COMMAND',
    ],
    ['an event without a type', 'events', { event: {} }, 400, 'INVALID_REQUEST'],
    ['an unknown invocation', 'invocations/none/answer', { answer: { approved: true } }, 400, 'NOT_WAITING'],
    ['no answer', 'invocations/approval/answer', { answer: {} }, 400, 'INVALID_REQUEST'],
    [
      'words for a decision',
      'invocations/approval/answer',
      { answer: { answer: 'yes' } },
      400,
      'WRONG_VERDICT',
    ],
  ])('refuse %s', async (_what, place, body, status, code) => {
    const all = await world();
    const { ask, runId } = await asking(all);
    const refused = await ask(place.startsWith('/') ? place : `/runs/${runId}/${place}`, body);
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect((await ask(`/runs/${runId}`)).body).toMatchObject({ workflow: { state: 'approving' } });
  });

  it('refuse what is sent to the run of an agent', async () => {
    const { detent, http } = await served([{ text: 'hi' }], { workflows: [orderWorkflow] });
    const { runId } = await detent.run('hi').result;
    const sent = await http(`/api/v1/runs/${runId}/events`, {
      method: 'POST',
      body: { event: { type: 'parcel.sent' } },
    });
    expect([sent.status, sent.body.code]).toEqual([409, 'NOT_A_WORKFLOW']);
  });
});

describe('what a token may do with workflows', () => {
  it('starts and sends with "write", decides with "approve", and sets limits with "admin"', async () => {
    const all = await world();
    const write = await all.token({ scopes: ['read', 'write'] });
    const { ask, runId } = await asking(all, write);
    const answer = (given: unknown) => ask(`/runs/${runId}/invocations/approval/answer`, { answer: given });
    const start = (more: object) => ask('/workflows/order/runs', { input: { order: 'o' }, ...more });
    for (const refused of [
      await answer({ approved: true }),
      await answer({ approved: false }),
      await answer({ declined: true }),
      await start({ limits: { maxTokens: 10 } }),
      await start({ budget: 'none' }),
    ])
      expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('another user’s runs, and their children, do not exist; who answered is on record', async () => {
    const all = await world();
    const { detent, http, token } = all;
    const { ask, runId } = await asking(all, await token({ userId: 'alice' }));
    const [question] = (await detent.runs.show(runId)).pending;
    const child = String(question?.runId);
    const mallory = await token({ userId: 'mallory' });
    const told = async (id: string, place: string, body?: unknown) => {
      const { status, body: said } = await http(`/api/v1/runs/${id}${place}`, {
        token: mallory,
        ...(body !== undefined && { method: 'POST', body }),
      });
      return JSON.stringify([status, said]).replaceAll(id, 'ID');
    };
    for (const [place, body] of [
      ['', undefined],
      ['/events', { event: { type: 'order.recalled' } }],
      ['/invocations/approval/answer', { answer: { approved: true } }],
      ['/confirmations/c1', { verdict: 'approve' }],
    ] as const)
      for (const id of [runId, child])
        expect(await told(id, place, body)).toBe(await told('none', place, body));
    expect((await http('/api/v1/runs', { token: mallory })).body).toEqual({ runs: [] });
    expect((await ask(`/runs/${child}`)).status).toBe(200);
    await ask(`/runs/${runId}/invocations/approval/answer`, { answer: { approved: false } });
    await detent.runs.attach(child).result;
    expect(JSON.stringify(await detent.runs.why(child))).toContain('alice rejected');
  });

  it('another tenant’s runs do not exist', async () => {
    const all = await world();
    const { runId } = await asking(all);
    const { id } = await all.detent.tenants.create({ name: 'guests' });
    const guest = await all.token({ tenantId: id });
    const sent = await all.http(`/api/v1/runs/${runId}/events`, {
      method: 'POST',
      token: guest,
      body: { event: { type: 'order.recalled' } },
    });
    expect([sent.status, sent.body.code]).toEqual([404, 'NOT_FOUND']);
  });
});
