import { describe, expect, it } from 'vitest';
import { assign, setup, spawnChild } from 'xstate';
import { runMachine } from '../../../machines/run.machine.ts';
import type { Detent, InspectionMessage } from '../../../src/index.ts';
import { defaultLimits } from '../../../src/store/run-options.ts';
import { subRunId } from '../../../src/store/stored-run.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { step, workflow } from '../../../src/workflow/index.ts';
import { gate, scripted, tool } from '../../support/detent.ts';
import { exampleMessages, realMessages, unlike } from '../../support/inspection.ts';

const toolAndAnswer: ScriptLine[] = [
  { toolCalls: [{ name: 'look', arguments: {} }] },
  { text: 'It is there.' },
];

async function inspected(
  detent: Detent,
  runId: string,
  options: Parameters<Detent['runs']['inspect']>[1] = {},
): Promise<InspectionMessage[]> {
  return Array.fromAsync(detent.runs.inspect(runId, options));
}

/** Actor, event and snapshot in short. */
const short = (messages: readonly InspectionMessage[]) =>
  messages.map((message) => {
    const what = message.type === '@xstate.actor' ? 'actor' : message.event.type;
    return message.type === '@xstate.event' ? what : `${what} ${JSON.stringify(message.snapshot.value)}`;
  });

describe('a finished run as an XState actor', () => {
  it('is an actor, and an event and a snapshot for each transition of its log', async () => {
    const { detent } = await scripted(toolAndAnswer, { tools: { define: [tool('look')] } });
    const { runId } = await detent.run('Where?').result;
    const messages = await inspected(detent, runId);
    expect(short(messages)).toEqual([
      'actor "idle"',
      'run.start',
      'run.start {"active":{"working":{"thinking":"requesting"}}}',
      'model.done',
      'model.done {"active":{"working":{"tooling":"executing"}}}',
      'tool.done',
      'tool.done {"active":{"working":{"thinking":"requesting"}}}',
      'model.done',
      'model.done "done"',
    ]);
    const log = await detent.runs.events(runId);
    expect(messages.slice(1).map(({ createdAt }) => Number(createdAt))).toEqual(
      log.flatMap(({ at }) => [at, at]),
    );
    expect(messages.at(-1)).toMatchObject({
      snapshot: { status: 'done', output: { outcome: 'completed' }, context: { steps: 2 } },
    });
  });

  it('has messages of the shape that the real inspector sends', async () => {
    const { detent } = await scripted(toolAndAnswer, { tools: { define: [tool('look')] } });
    const { runId } = await detent.run('Where?').result;
    const real = await exampleMessages();
    const messages = await inspected(detent, runId);
    expect(messages.flatMap((message) => unlike(message, real))).toEqual([]);
  });

  it('has the definition that the real inspector sends for the same chart', async () => {
    const { detent } = await scripted([{ text: 'hi' }]);
    const { runId } = await detent.run('Hello').result;
    const [actor] = await inspected(detent, runId);
    // The real one leaves out what lies deeper than ten levels, unless it is asked for more.
    const [real] = await realMessages(runMachine, () => {}, { input: { limits: defaultLimits }, depth: 100 });
    expect(actor).toMatchObject({ sessionId: runId, rootId: runId, name: runId });
    expect(JSON.parse(actor?.type === '@xstate.actor' ? actor.definition : '')).toEqual(
      JSON.parse(String(real?.definition)),
    );
  });

  it('has the same messages each time, so that a receiver that comes back can replace what it has', async () => {
    const { detent } = await scripted(toolAndAnswer, { tools: { define: [tool('look')] } });
    const { runId } = await detent.run('Where?').result;
    expect(await inspected(detent, runId)).toEqual(await inspected(detent, runId));
  });

  it('has no secret that the log has not', async () => {
    const { detent } = await scripted([{ text: 'the key is hunter2-hunter2' }], {
      env: { DOOR_TOKEN: 'hunter2-hunter2' },
    });
    const { runId } = await detent.run('What is hunter2-hunter2?').result;
    const wire = JSON.stringify(await inspected(detent, runId));
    expect(wire).not.toContain('hunter2');
  });

  it('is not there for another tenant', async () => {
    const { detent } = await scripted([{ text: 'hi' }]);
    const { runId } = await detent.run('Hello').result;
    await expect(inspected(detent, runId, { tenantId: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a run at work as an XState actor', () => {
  it('goes on with the transitions as they happen', async () => {
    const held = gate();
    const look = tool('look', { run: () => held.pass().then(() => 'there') });
    const { detent } = await scripted(toolAndAnswer, { tools: { define: [look] } });
    const run = detent.run('Where?');
    const messages: InspectionMessage[] = [];
    for await (const message of detent.runs.inspect(await run.started)) {
      messages.push(message);
      if (message.type === '@xstate.snapshot' && message.event.type === 'model.done') held.open();
    }
    expect(short(messages).at(-1)).toBe('model.done "done"');
    expect(messages).toEqual(await inspected(detent, run.runId));
  });

  it('begins with its state of now, if that is asked for', async () => {
    const pay = tool('pay', { sideEffect: 'unsafe', confirm: true });
    const { detent } = await scripted([{ toolCalls: [{ name: 'pay', arguments: {} }] }, { text: 'Paid.' }], {
      tools: { define: [pay] },
    });
    const { runId, pending } = await detent.run('Pay').result;
    const messages: InspectionMessage[] = [];
    for await (const message of detent.runs.inspect(runId, { from: 'now' })) {
      messages.push(message);
      if (message.type === '@xstate.actor')
        await detent.runs.confirm(runId, String(pending[0]?.callId), { verdict: 'approve' });
    }
    expect(short(messages)).toEqual([
      'actor {"active":"awaitingConfirm"}',
      'confirm.decide',
      'confirm.decide {"active":{"working":{"tooling":"executing"}}}',
      'tool.done',
      'tool.done {"active":{"working":{"thinking":"requesting"}}}',
      'model.done',
      'model.done "done"',
    ]);
  });

  it('ends when this Detent closes', async () => {
    const { detent } = await scripted([{ toolCalls: [{ name: 'pay', arguments: {} }] }], {
      tools: { define: [tool('pay', { confirm: true })] },
    });
    const { runId } = await detent.run('Pay').result;
    const messages = detent.runs.inspect(runId)[Symbol.asyncIterator]();
    await messages.next();
    await detent.close();
    while (!(await messages.next()).done);
  });
});

describe('sub-runs', () => {
  it('are actors of their own, with the run as their parent', async () => {
    const { detent } = await scripted([
      { toolCalls: [{ name: 'task', arguments: { prompt: 'look' } }] },
      { text: 'found' },
      { text: 'so it is' },
    ]);
    const { runId } = await detent.run('Where?').result;
    const messages = await inspected(detent, runId);
    const actors = messages.filter(({ type }) => type === '@xstate.actor');
    const [{ sessionId: child } = { sessionId: '' }] = actors.filter(({ sessionId }) => sessionId !== runId);
    expect(actors.map(({ sessionId }) => sessionId)).toEqual([runId, child]);
    expect(actors[1]).toMatchObject({ parentId: runId, rootId: runId });
    const events = messages.filter(({ type }) => type === '@xstate.event');
    expect(events.find(({ sessionId }) => sessionId === child)).toMatchObject({
      event: { type: 'run.start' },
      sourceId: runId,
    });
    expect(events.find((one) => 'event' in one && one.event.type === 'tool.done')).toMatchObject({
      sessionId: runId,
      sourceId: child,
    });
    expect(messages.flatMap((message) => unlike(message, []))).not.toEqual([]);
    const real = await exampleMessages();
    expect(messages.flatMap((message) => unlike(message, real))).toEqual([]);
  });

  it('are left out, if that is asked for', async () => {
    const { detent } = await scripted([
      { toolCalls: [{ name: 'task', arguments: { prompt: 'look' } }] },
      { text: 'found' },
      { text: 'so it is' },
    ]);
    const { runId } = await detent.run('Where?').result;
    const messages = await inspected(detent, runId, { withSubRuns: false });
    expect(new Set(messages.map(({ sessionId }) => sessionId))).toEqual(new Set([runId]));
  });
});

describe('a workflow with a child for each item', () => {
  const priced = setup({
    types: { context: {} as { left: number } },
    actors: {
      price: setup({
        actors: { look: step({ sideEffect: 'readonly', run: async () => 7 }) },
      }).createMachine({
        id: 'price',
        version: '1',
        initial: 'looking',
        output: 7,
        states: {
          looking: { invoke: { id: 'look', src: 'look', onDone: 'seen', onError: 'seen' } },
          seen: { type: 'final' },
        },
      }),
      fails: step({
        sideEffect: 'readonly',
        run: async () => {
          throw new Error('no price');
        },
      }),
    },
    guards: { isLast: ({ context }) => context.left === 1 },
    actions: { count: assign({ left: ({ context }) => context.left - 1 }) },
  }).createMachine({
    id: 'prices',
    version: '1',
    context: { left: 2 },
    initial: 'asking',
    states: {
      asking: {
        entry: [spawnChild('price', { id: 'price.0' }), spawnChild('price', { id: 'price.1' })],
        on: { 'xstate.done.actor.*': [{ guard: 'isLast', target: 'resting' }, { actions: 'count' }] },
      },
      resting: { after: { 1: 'failing' } },
      failing: { invoke: { id: 'fails', src: 'fails', onDone: 'over', onError: 'over' } },
      over: { type: 'final' },
    },
    output: { total: 14 },
  });

  it('sends all runs in the order of time, and events and outputs that its definition knows', async () => {
    const { detent } = await scripted([], { workflows: [workflow(priced)] });
    const run = detent.workflows.start('prices', null);
    for await (const _ of run.events);
    const messages = await inspected(detent, run.runId);
    const times = messages.map(({ createdAt }) => Number(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const own = messages.filter(({ sessionId }) => sessionId === run.runId);
    const events = own.flatMap((message) => (message.type === '@xstate.event' ? [message.event.type] : []));
    expect(events[0]).toBe('xstate.init');
    expect(new Set(events.filter((type) => type.startsWith('xstate.')))).toEqual(
      new Set([
        'xstate.init',
        'xstate.done.actor.price.0',
        'xstate.done.actor.price.1',
        'xstate.after.1.prices.resting',
        'xstate.error.actor.fails',
      ]),
    );
    expect(own.at(-1)).toMatchObject({ snapshot: { status: 'done', output: { total: 14 } } });
    const ended = (id: string) => messages.findLastIndex(({ sessionId }) => sessionId === id);
    for (const i of [0, 1]) {
      const told = messages.findIndex(
        (message) =>
          message.type === '@xstate.event' && message.event.type === `xstate.done.actor.price.${i}`,
      );
      expect(told).toBeGreaterThan(ended(subRunId(run.runId, i + 1)));
    }
  });

  it('ends in an error with that of its chart', async () => {
    const failing = setup({ actors: { look: step({ sideEffect: 'readonly', run: () => JSON.parse('{') }) } });
    const chart = failing.createMachine({
      id: 'failing',
      version: '1',
      initial: 'looking',
      states: { looking: { invoke: { id: 'look', src: 'look', onDone: 'over' } }, over: { type: 'final' } },
    });
    const { detent } = await scripted([], { workflows: [workflow(chart)] });
    const run = detent.workflows.start('failing', null);
    await run.result;
    expect((await inspected(detent, run.runId)).at(-1)).toMatchObject({
      event: { type: 'xstate.error.actor.look' },
      snapshot: { status: 'error', error: { code: 'SERVICE_FAILED' } },
    });
    const [now] = await inspected(detent, run.runId, { from: 'now' });
    expect(now).toMatchObject({ snapshot: { status: 'error', error: { code: 'SERVICE_FAILED' } } });
  });
});
