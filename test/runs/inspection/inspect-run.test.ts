import { describe, expect, it } from 'vitest';
import { runMachine } from '../../../machines/run.machine.ts';
import type { Detent, InspectionMessage } from '../../../src/index.ts';
import { defaultLimits } from '../../../src/store/run-options.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
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
  const messages: InspectionMessage[] = [];
  for await (const message of detent.runs.inspect(runId, options)) messages.push(message);
  return messages;
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
