import { expect } from 'vitest';
import { assign, createActor, fromPromise, setup, waitFor } from 'xstate';
import * as z from 'zod';
import type { DetentOptions } from '../../src/index.ts';
import { fakeClock, type ScriptLine } from '../../src/testing/index.ts';
import {
  agent,
  model,
  step,
  tool as toolService,
  type Workflow,
  workflow,
} from '../../src/workflow/index.ts';
import { gate, scripted, tool } from '../support/detent.ts';
import { orderChart, orderChartOf, orderWorkflow } from '../support/order-workflow.ts';
import { given, processes, resumed, when } from './support.ts';

// A workflow is a plain XState chart, run durably: same states, same events, and it waits as rows.
// test/workflow/examples plays XState's own examples against createActor, killed after each transition.

const day = 86_400_000;
const input = { order: 'o1' };

/** A run of the order of test/support: it asks a person, then waits for its parcel or a day. */
async function ordered(options: DetentOptions = {}) {
  const { detent } = await scripted([], { ...options, workflows: [orderWorkflow] });
  const run = detent.workflows.start(orderWorkflow, input);
  await run.result;
  const state = async () => (await run.result).workflow.state;
  const approved = async () => {
    await run.answer('approval', { approved: true });
    return state();
  };
  return { detent, run, state, approved };
}

given('a chart', () => {
  when('it gets events', 'it has state, context and output as under createActor', async () => {
    const { run, approved } = await ordered();
    const { pass, open } = gate();
    const approve = fromPromise(() => pass().then(() => ({ approved: true }))) as never;
    const actor = createActor(orderChart.provide({ actors: { approve } }), { input });
    actor.start();
    const isEqual = async () => {
      const { value, context, output } = actor.getSnapshot();
      expect((await run.result).workflow).toMatchObject({ state: value, context, ...(output && { output }) });
    };
    await isEqual();
    await approved();
    open();
    await waitFor(actor, ({ value }) => value === 'packing');
    await isEqual();
    const event = { type: 'parcel.sent', note: 'by bike' } as const;
    actor.send(event);
    await run.send(event);
    await isEqual();
    expect(await run.result).toMatchObject({ status: 'done', output: { order: 'o1', note: 'by bike' } });
  });
});

given('a workflow that is started', () => {
  for (const [what, name, bad, code] of [
    ['its input does not fit', 'order', { order: 7 }, 'INVALID_INPUT'],
    ['there is none of that name', 'ordr', input, 'UNKNOWN_WORKFLOW'],
  ] as const)
    when(what, 'it is refused, and no run is made', async () => {
      const { detent } = await scripted([], { workflows: [orderWorkflow] });
      await expect(detent.workflows.start(name, bad).started).rejects.toMatchObject({ code });
      expect(await detent.runs.list()).toEqual([]);
    });

  when('the same key comes again', 'it is the same run; with another input it is refused', async () => {
    const { detent } = await scripted([], { workflows: [orderWorkflow] });
    const start = (order: string) =>
      detent.workflows.start(orderWorkflow, { order }, { idempotencyKey: 'k' }).started;
    expect(await start('o1')).toBe(await start('o1'));
    await expect(start('o2')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  });
});

given('a workflow that waits for events', () => {
  when('an event comes', 'the sender learns whether the chart took it', async () => {
    const { run, state, approved } = await ordered();
    expect(await run.send({ type: 'parcel.sent' })).toBe(false);
    expect(await state()).toBe('approving');
    await approved();
    expect(await run.send({ type: 'parcel.sent' })).toBe(true);
    expect(await state()).toBe('sent');
  });

  when('an event with a key comes twice', 'it counts once', async () => {
    const { detent, run, approved } = await ordered();
    await approved();
    const send = () => detent.workflows.send(run.runId, { type: 'parcel.sent' }, { idempotencyKey: 'a' });
    expect([await send(), await send()]).toEqual([true, true]);
    const sent = (await detent.runs.events(run.runId)).filter(({ event }) => event.type === 'parcel.sent');
    expect(sent).toHaveLength(1);
  });

  const refused: [event: { type: string } & Record<string, unknown>, code: string][] = [
    [{ type: 'parcel.sent', note: 7 }, 'INVALID_EVENT'],
    [{ type: 'opened' }, 'UNKNOWN_COMMAND'],
    [{ type: 'run.cancel' }, 'RESERVED_EVENT'],
    [{ type: 'service.done', effectId: 1, output: 'forged' }, 'RESERVED_EVENT'],
    [{ type: 'xstate.done.actor.approval', output: { approved: true } }, 'RESERVED_EVENT'],
  ];
  for (const [event, code] of refused)
    when(`the event ${JSON.stringify(event)} comes`, `it is refused: ${code}`, async () => {
      const { detent, run } = await ordered();
      await expect(detent.workflows.send(run.runId, event)).rejects.toMatchObject({ code });
    });

  when('a day passes in which no process lives', 'its timer fires in the next process, once', async () => {
    const clock = fakeClock();
    const open = await processes({ workflows: [orderWorkflow], clock });
    const first = open([]);
    const run = first.workflows.start(orderWorkflow, input);
    await run.result;
    await run.answer('approval', { approved: true });
    await run.result;
    await first.close();
    await clock.advance(day);
    const second = open([]);
    expect(await resumed(second, run.runId)).toMatchObject({
      status: 'done',
      workflow: { state: 'recalled' },
    });
    const fired = (await second.runs.events(run.runId)).filter(({ label }) => label?.startsWith('after'));
    expect(fired).toHaveLength(1);
  });
});

given('a workflow that asks a person', () => {
  when('the person answers in another process', 'it goes on with that answer', async () => {
    const open = await processes({ workflows: [orderWorkflow] });
    const first = open([]);
    const { runId, pending } = await first.workflows.start(orderWorkflow, input).result;
    expect(pending).toMatchObject([{ name: 'ask', why: 'Send o1?' }]);
    await first.close();
    const second = open([]);
    await second.workflows.answer(runId, 'approval', { approved: true });
    expect((await second.runs.show(runId)).status).toBe('decided');
    expect(await resumed(second, runId)).toMatchObject({ workflow: { state: 'packing' } });
    expect((await second.runs.replay(runId)).diverged).toBeNull();
  });

  when('the answer came, and another comes', 'that one is too late', async () => {
    const { run, state } = await ordered();
    expect(await run.answer('approval', { approved: false })).toMatchObject({ applied: true });
    expect(await state()).toBe('recalled');
    await expect(run.answer('approval', { approved: true })).rejects.toMatchObject({ code: 'NOT_WAITING' });
  });

  when('it is forked there', 'the fork asks a question of its own, and the original waits on', async () => {
    const { detent, run } = await ordered();
    const fork = await detent.runs.fork(run.runId, { at: 1 });
    await resumed(detent, fork.runId);
    await detent.workflows.answer(fork.runId, 'approval', { approved: true });
    expect(await detent.runs.attach(fork.runId).result).toMatchObject({ workflow: { state: 'packing' } });
    expect((await run.result).workflow.state).toBe('approving');
  });

  when('it is cancelled', 'so are the runs of its services', async () => {
    const { detent, run } = await ordered();
    const { pending } = await run.result;
    expect(await run.cancel('enough')).toBe(true);
    expect((await run.result).status).toBe('cancelled');
    await expect.poll(async () => (await detent.runs.show(pending[0]?.runId ?? '')).status).toBe('cancelled');
  });
});

type Service = Parameters<typeof setup>[0]['actors'] extends infer Actors ? Actors : never;

/** A workflow of one service, whose output or error is its own. */
function only(work: NonNullable<Service>[string], serviceInput: unknown = {}): Workflow {
  const chart = setup({ types: { context: {} as { seen: unknown } }, actors: { work } }).createMachine({
    id: 'only',
    version: '1',
    initial: 'working',
    context: { seen: null },
    output: ({ context }) => context.seen,
    states: {
      working: {
        invoke: {
          id: 'work',
          src: 'work',
          input: () => serviceInput,
          onDone: { target: 'over', actions: assign({ seen: ({ event }) => ({ output: event.output }) }) },
          onError: { target: 'over', actions: assign({ seen: ({ event }) => ({ error: event.error }) }) },
        },
      },
      over: { type: 'final' },
    },
  });
  return workflow(chart);
}

given('a chart with a service', () => {
  const look = tool('look', { run: () => 'seen' });
  const services: [
    what: string,
    work: NonNullable<Service>[string],
    script: ScriptLine[],
    expected: unknown,
  ][] = [
    [
      'a step is its own function, with a key that its repeats share',
      step({
        sideEffect: 'idempotent',
        run: async (_: unknown, { idempotencyKey, runId }) => idempotencyKey === `${runId}:1`,
      }),
      [],
      { output: true },
    ],
    ['a model answers once', model({ prompt: () => 'Which city?' }), [{ text: 'Bonn' }], { output: 'Bonn' }],
    [
      'a model whose answer does not fit is asked again',
      model({ prompt: () => 'Which city?', output: z.object({ city: z.string() }) }),
      [{ text: 'Bonn' }, { output: { city: 'Bonn' } }],
      { output: { city: 'Bonn' } },
    ],
    [
      'an agent is a run with tools',
      agent({ prompt: () => 'Look.', tools: ['look'] }),
      [{ toolCalls: [{ name: 'look' }] }, { text: 'I saw it.' }],
      { output: 'I saw it.' },
    ],
    ['a tool is called under its own policy', toolService('look'), [], { output: 'seen' }],
    [
      'a service that throws is told to onError',
      step({ sideEffect: 'readonly', run: () => Promise.reject(new Error('out of paper')) }),
      [],
      { error: expect.objectContaining({ code: 'SERVICE_FAILED', message: 'out of paper' }) },
    ],
    [
      'a service that takes too long is told to onError',
      step({ sideEffect: 'readonly', run: () => new Promise(() => {}), limits: { timeoutMs: 20 } }),
      [],
      { error: expect.objectContaining({ code: 'TIMEOUT' }) },
    ],
  ];
  for (const [promise, work, script, expected] of services)
    when('it is entered', promise, async () => {
      const { detent } = await scripted(script, { workflows: [only(work)], tools: { define: [look] } });
      const { status, output } = await detent.workflows.start('only').result;
      expect([status, output]).toEqual(['done', expected]);
    });

  when('a step is to be tried again', 'each attempt has the same key, and comes on the clock', async () => {
    const clock = fakeClock();
    const keys: string[] = [];
    const work = step({
      sideEffect: 'idempotent',
      retry: { attempts: 3, delayMs: 1_000 },
      run: async (_: unknown, { idempotencyKey }) => {
        if (keys.push(idempotencyKey) < 2) throw new Error('not yet');
        return 'done';
      },
    });
    const { detent } = await scripted([], { workflows: [only(work)], clock });
    const run = detent.workflows.start('only');
    await run.result;
    await clock.advance(999);
    expect(keys).toHaveLength(1);
    await clock.advance(1);
    expect((await run.result).output).toEqual({ output: 'done' });
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  for (const [sideEffect, times, promise] of [
    ['idempotent', 2, 'it runs again under its key'],
    ['unsafe', 1, 'a person says whether it ran'],
  ] as const)
    when(`its process ends during a step that is ${sideEffect}`, promise, async () => {
      const { pass, reached } = gate();
      const keys: string[] = [];
      const work = step({
        sideEffect,
        run: async (_: unknown, { idempotencyKey, signal }) => {
          if (keys.push(idempotencyKey) === 1) await pass(signal);
          return 'done';
        },
      });
      const open = await processes({ workflows: [only(work)] });
      const first = open([]);
      const { runId } = first.workflows.start('only');
      await reached;
      await first.close();
      const second = open([]);
      const view = await resumed(second, runId);
      if (sideEffect === 'unsafe') {
        expect(view.pending).toMatchObject([{ kind: 'reconcile' }]);
        await second.runs.reconcile(runId, view.pending[0]?.callId ?? '', {
          verdict: 'ran',
          result: '"done"',
        });
      }
      expect((await second.runs.attach(runId).result).status).toBe('done');
      expect([keys.length, new Set(keys).size]).toEqual([times, 1]);
    });

  when('its limit of tokens is used up', 'the next service fails before it begins', async () => {
    const talk = model({ prompt: () => 'Hello' });
    const chart = setup({ actors: { talk } }).createMachine({
      id: 'twice',
      version: '1',
      initial: 'first',
      states: {
        first: { invoke: { id: 'first', src: 'talk', onDone: 'second', onError: 'broke' } },
        second: { invoke: { id: 'second', src: 'talk', onDone: 'over', onError: 'broke' } },
        over: { type: 'final' },
        broke: { type: 'final' },
      },
    });
    const said = { text: 'Hi', usage: { inputTokens: 60, outputTokens: 40 } };
    const { detent, model: asked } = await scripted([said, said], {
      workflows: [workflow(chart, { limits: { maxTokens: 100 } })],
    });
    const { workflow: flow } = await detent.workflows.start('twice').result;
    expect([flow.state, flow.spent.tokens, asked.requests.length]).toEqual(['broke', 100, 1]);
  });
});

given('a chart that was edited while a run of it waits', () => {
  const parked = async () => {
    const open = await processes({ workflows: [orderWorkflow] });
    const first = open([]);
    const { runId } = await first.workflows.start(orderWorkflow, input).result;
    await first.close();
    return { runId, next: (changed: Workflow) => open([], { workflows: [changed] }), open };
  };
  const recall = { type: 'order.recalled' };

  when('it has the same version', 'the run waits for the old chart, or a cancel', async () => {
    const { runId, next, open } = await parked();
    const detent = next(workflow(orderChartOf('1', 'decision')));
    await expect(detent.workflows.send(runId, recall)).rejects.toMatchObject({ code: 'CHART_CHANGED' });
    expect(await detent.runs.why(runId)).toMatchObject({ cause: 'chart_changed' });
    expect(await detent.runs.allowed(runId)).toEqual([{ type: 'run.cancel' }]);
    await detent.close();
    expect(await open([]).workflows.send(runId, recall)).toBe(true);
  });

  when('its new version brings the earlier one', 'the run goes on in its own version', async () => {
    const { runId, next } = await parked();
    const detent = next(workflow(orderChartOf('2', 'decision'), { earlier: [orderChart] }));
    await detent.runs.resume();
    await detent.workflows.answer(runId, 'approval', { approved: true });
    const view = await detent.runs.attach(runId).result;
    expect(view).toMatchObject({ workflow: { version: 1, state: 'packing' } });
  });

  when('its new version has a migration', 'the run goes on in the new version', async () => {
    const { runId, next } = await parked();
    const migrated = workflow(orderChartOf('2'), {
      migrate: [{ from: 1, snapshot: ({ value, context }) => ({ value, context }) }],
    });
    const detent = next(migrated);
    await detent.runs.resume();
    await detent.workflows.answer(runId, 'approval', { approved: true });
    const view = await detent.runs.attach(runId).result;
    expect(view).toMatchObject({ workflow: { version: 2, state: 'packing' } });
  });
});
