import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import * as z from 'zod';
import type { DetentOptions } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { subRunId, subRunSession } from '../../../src/store/stored-run.ts';
import { fakeClock } from '../../../src/testing/index.ts';
import { ask, step, type Workflow, workflow } from '../../../src/workflow/index.ts';
import { scripted, temporaryWorkspace } from '../../support/detent.ts';

const week = 7 * 86_400_000;

/** Waits for an event, a person, or a week. */
function order(more: { version?: string; patience?: string; question?: string; closing?: string } = {}) {
  const { version = '1', patience = 'patience', question = 'confirm', closing = 'closed' } = more;
  return setup({
    types: {
      input: {} as { id: string },
      context: {} as { id: string; items: string[] },
      events: {} as { type: 'item.added'; item: string } | { type: 'closed' },
    },
    actors: {
      confirm: ask({ question: ({ id }: { id: string }) => `Ship order ${id}?` }),
      ship: step({ sideEffect: 'idempotent', run: async ({ id }: { id: string }) => `shipped ${id}` }),
    },
    actions: {
      add: assign({
        items: ({ context, event }) => [...context.items, event.type === 'item.added' ? event.item : ''],
      }),
    },
    delays: { patience: week, kindness: week },
  }).createMachine({
    id: 'order',
    version,
    context: ({ input }) => ({ id: input.id, items: [] }),
    initial: 'open',
    output: ({ context }) => ({ items: context.items.length }),
    states: {
      open: {
        on: { 'item.added': { actions: 'add' }, [closing]: 'confirming' },
        after: { [patience]: 'expired' },
      },
      confirming: {
        invoke: {
          id: question,
          src: 'confirm',
          input: ({ context: { id } }) => ({ id }),
          onDone: 'shipping',
          onError: 'expired',
        },
      },
      shipping: {
        invoke: {
          id: 'ship',
          src: 'ship',
          input: ({ context: { id } }) => ({ id }),
          onDone: 'shipped',
          onError: 'expired',
        },
      },
      shipped: { type: 'final' },
      expired: { type: 'final' },
    },
  });
}

const orders = workflow(order(), {
  input: z.object({ id: z.string() }),
  events: { 'item.added': z.object({ type: z.literal('item.added'), item: z.string().trim() }) as never },
});
const input = { id: 'o1' };

/** A Detent of this database. */
function reopened(workspace: string, workflows: Workflow[], more: DetentOptions = {}) {
  return createDetent({ workspace, env: {}, model: 'demo/demo', workflows, ...more });
}

describe('a workflow', () => {
  it('takes events from outside in any of its states, as their schema makes them', async () => {
    const { detent } = await scripted([], { workflows: [orders] });
    const run = detent.workflows.start(orders, input);
    await run.result;
    const send = (event: object, key?: string) =>
      detent.workflows.send(run.runId, event as never, key ? { idempotencyKey: key } : {});
    expect(await send({ type: 'item.added', item: ' tea ' }, 'a')).toBe(true);
    expect(await send({ type: 'item.added', item: ' tea ' }, 'a')).toBe(true);
    expect(await run.result).toMatchObject({ workflow: { context: { items: ['tea'] } } });
    expect(await send({ type: 'closed' })).toBe(true);
    expect(await send({ type: 'closed' })).toBe(false);
  });

  it.each([
    { event: { type: 'item.added' }, code: 'INVALID_EVENT' },
    { event: { type: 'service.done', effectId: 1, output: 'forged' }, code: 'RESERVED_EVENT' },
    { event: { type: 'xstate.done.actor.confirm', output: { approved: true } }, code: 'RESERVED_EVENT' },
    { event: { type: 'run.cancel' }, code: 'RESERVED_EVENT' },
    { event: { type: 'opened' }, code: 'UNKNOWN_COMMAND' },
    { event: { item: 'tea' }, code: 'INVALID_EVENT' },
    { event: 'closed', code: 'INVALID_EVENT' },
  ])('refuses the event $event with $code', async ({ event, code }) => {
    const { detent } = await scripted([], { workflows: [orders] });
    const run = detent.workflows.start(orders, input);
    await run.result;
    await expect(detent.workflows.send(run.runId, event as never)).rejects.toMatchObject({ code });
  });

  it('forks where it waits: the fork asks its own question', async () => {
    const { detent } = await scripted([], { workflows: [orders] });
    const run = detent.workflows.start(orders, input);
    await run.result;
    await detent.workflows.send(run.runId, { type: 'closed' } as never);
    const { pending } = await run.result;
    const fork = await detent.runs.fork(run.runId, { at: 3 });
    await expect(detent.workflows.answer(fork.runId, 'confirm', { approved: true })).rejects.toMatchObject({
      code: 'NOT_WAITING',
      message: expect.stringContaining(`detent runs resume ${fork.runId}`),
    });
    await detent.runs.resume({ runId: fork.runId });
    const forked = await detent.runs.attach(fork.runId).result;
    expect(forked.pending[0]?.runId).not.toBe(pending[0]?.runId);
    await detent.workflows.answer(fork.runId, 'confirm', { approved: true });
    expect(await detent.runs.attach(fork.runId).result).toMatchObject({ status: 'done' });
    expect(await run.result).toMatchObject({ status: 'waiting' });
  });

  it('goes with its session, and with the runs of its services, when a person says so', async () => {
    const { detent } = await scripted([], { workflows: [orders] });
    const run = detent.workflows.start(orders, input);
    await run.result;
    await run.send({ type: 'closed' } as never);
    const { sessionId, pending } = await run.result;
    const below = pending[0]?.runId ?? '';
    await expect(detent.workflows.send(below, { type: 'closed' })).rejects.toMatchObject({
      code: 'NOT_A_WORKFLOW',
      message: expect.stringContaining(`the run of the workflow, ${run.runId}`),
    });
    await expect(detent.sessions.delete(sessionId)).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    expect(await detent.sessions.delete(sessionId, { force: true })).toMatchObject({ runs: 2, erased: true });
    expect(await detent.runs.list()).toEqual([]);
  });
});

describe('an edited chart', () => {
  const parked = async (clock = fakeClock()) => {
    const workspace = await temporaryWorkspace();
    const detent = reopened(workspace, [orders], { clock });
    const { runId } = await detent.workflows.start(orders, input).result;
    await detent.close();
    return { workspace, runId, clock };
  };

  it('of the same version may be cancelled: without its chart, and with its timers and questions', async () => {
    const { workspace, runId } = await parked();
    const detent = reopened(workspace, [workflow(order({ question: 'decide' }))]);
    expect(await detent.runs.allowed(runId)).toEqual([{ type: 'run.cancel' }]);
    expect(await detent.runs.why(runId)).toMatchObject({ cause: 'chart_changed' });
    expect(await detent.runs.cancel(runId, 'no longer wanted')).toBe(true);
    expect(await detent.runs.show(runId)).toMatchObject({
      status: 'cancelled',
      workflow: { state: '(cancelled)', services: [], timers: [] },
    });
    await detent.close();
    // The chart of the run tells the same story.
    const old = reopened(workspace, [orders]);
    expect(await old.runs.replay(runId)).toMatchObject({ diverged: null, unfolded: 0 });
    await old.close();
  });

  it('within a chart, deleted, is told to the one that waits for it', async () => {
    const within = (inner: ReturnType<typeof order>) =>
      workflow(
        setup({ actors: { inner } }).createMachine({
          id: 'outer',
          version: '1',
          initial: 'inside',
          states: {
            inside: {
              invoke: { id: 'inner', src: 'inner', input: { id: 'o1' }, onDone: 'over', onError: 'gone' },
            },
            over: { type: 'final' },
            gone: { type: 'final' },
          },
        }),
      );
    const workspace = await temporaryWorkspace();
    const first = reopened(workspace, [within(order())]);
    const { runId } = await first.workflows.start('outer').result;
    await first.close();
    const second = reopened(workspace, [within(order({ version: '2' }))]);
    await second.sessions.delete(subRunSession(subRunId(runId, 1)), { force: true });
    await second.runs.resume();
    expect(await second.runs.attach(runId).result).toMatchObject({
      status: 'done',
      workflow: { state: 'gone' },
    });
    await second.close();
  });

  it('leaves them the events that only their version has', async () => {
    const { workspace, runId } = await parked();
    const next = workflow(order({ version: '2', closing: 'order.closed' }), { earlier: [order()] });
    const detent = reopened(workspace, [next]);
    expect(await detent.workflows.send(runId, { type: 'closed' } as never)).toBe(true);
    await detent.close();
  });

  it('takes them over by a migration, with their timers by name and their services by invocation', async () => {
    const { workspace, runId, clock } = await parked();
    const first = reopened(workspace, [orders], { clock });
    const other = await first.workflows.start(orders, { id: 'o2' }).result;
    await first.workflows.send(other.runId, { type: 'closed' } as never);
    await first.runs.attach(other.runId).result;
    await first.close();
    await clock.advance(week - 1_000);
    const next = workflow(order({ version: '2', patience: 'kindness', question: 'decide' }), {
      migrate: [
        {
          from: 1,
          snapshot: ({ value, context }) => ({
            value,
            context,
            ...(value === 'open' && {
              timers: { 'xstate.after.kindness.order.open': 'xstate.after.patience.order.open' },
            }),
            ...(value === 'confirming' && { services: { decide: { was: 'confirm' } } }),
          }),
        },
      ],
    });
    const detent = reopened(workspace, [next], { clock });
    await detent.runs.resume();
    await detent.workflows.answer(other.runId, 'decide', { approved: true });
    expect(await detent.runs.attach(other.runId).result).toMatchObject({
      status: 'done',
      workflow: { version: 2, state: 'shipped' },
    });
    await clock.advance(1_000);
    expect(await detent.runs.attach(runId).result).toMatchObject({
      status: 'done',
      workflow: { version: 2, state: 'expired' },
    });
    for (const id of [runId, other.runId]) expect((await detent.runs.replay(id)).diverged).toBe(null);
    await detent.close();
  });
});
