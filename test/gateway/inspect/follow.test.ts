import { describe, expect, it } from 'vitest';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { gate, tool } from '../../support/detent.ts';
import { exampleMessages, unlike } from '../../support/inspection.ts';
import { serve, served } from '../support.ts';
import { open, placeUrl, receiver, ticketUrl } from './support.ts';

const pays: ScriptLine[] = [{ toolCalls: [{ name: 'pay', arguments: {} }] }, { text: 'Paid.' }];
const pay = tool('pay', { sideEffect: 'unsafe', confirm: true });
const withPay = { tools: { define: [pay] } };

const waits = ['idle', { active: { working: { thinking: 'requesting' } } }, { active: 'awaitingConfirm' }];
const goesOn = [
  { active: { working: { tooling: 'executing' } } },
  { active: { working: { thinking: 'requesting' } } },
  'done',
];

describe('the real receiver of @statelyai/inspect', () => {
  it('gets a finished run whole, in messages of the shape that the real inspector sends', async () => {
    const world = await served([{ text: 'hi' }]);
    const { runId } = await world.detent.run('Hello').result;
    const { messages, saw, states } = bound(receiver(await ticketUrl(world, { runId })));
    await saw(({ type, ...rest }) => type === '@xstate.snapshot' && JSON.stringify(rest).includes('"done"'));
    expect(states(runId)).toEqual(['idle', { active: { working: { thinking: 'requesting' } } }, 'done']);
    const real = await exampleMessages();
    expect(messages.flatMap((message) => unlike(message, real))).toEqual([]);
  });

  it('follows a run at work to its end', async () => {
    const world = await served(pays, withPay);
    const { runId, pending } = await world.detent.run('Pay').result;
    const { saw, states } = bound(receiver(await ticketUrl(world, { runId })));
    await saw((message) => message.type === '@xstate.snapshot' && message.event.type === 'model.done');
    expect(states(runId)).toEqual(waits);
    await world.detent.runs.confirm(runId, String(pending[0]?.callId), { verdict: 'approve' });
    await saw((message) => message.type === '@xstate.snapshot' && message.snapshot.status === 'done');
    expect(states(runId)).toEqual([...waits, ...goesOn]);
  });

  it('gets all runs: those at work as they stand, new ones from their beginning', async () => {
    const world = await served([{ text: 'hi' }, pays[0] as ScriptLine, { text: 'hello' }], withPay);
    const ended = await world.detent.run('Hi').result;
    const parked = await world.detent.run('Pay').result;
    const { messages, saw, states } = bound(receiver(await ticketUrl(world)));
    await saw(({ sessionId }) => sessionId === parked.runId);
    await world.detent.runs.cancel(parked.runId);
    const fresh = await world.detent.run('Hello').started;
    for (const runId of [parked.runId, fresh])
      await saw(
        (message) =>
          message.sessionId === runId &&
          message.type === '@xstate.snapshot' &&
          message.snapshot.status === 'done',
      );
    expect(states(parked.runId)).toEqual([{ active: 'awaitingConfirm' }, 'cancelled']);
    expect(states(fresh)).toEqual(['idle', { active: { working: { thinking: 'requesting' } } }, 'done']);
    expect(messages.some(({ sessionId }) => sessionId === ended.runId)).toBe(false);
  });

  it('gets everything again from another gateway of the same database, with the same ids', async () => {
    const world = await served(pays, withPay);
    const { runId } = await world.detent.run('Pay').result;
    const before = await open(await ticketUrl(world, { runId }));
    await before.received.saw(
      (message) => message.type === '@xstate.snapshot' && message.event.type === 'model.done',
    );
    await world.gateway.close();
    expect(await before.closed).toMatchObject({ code: 1001 });
    const again = await serve(world.detent);
    const after = await open(await ticketUrl(again, { runId }));
    await after.received.saw(
      (message) => message.type === '@xstate.snapshot' && message.event.type === 'model.done',
    );
    expect(after.received.messages).toEqual(before.received.messages);
  });
});

describe('a WebSocket under /inspect', () => {
  it('closes behind the end of the run', async () => {
    const world = await served([{ text: 'hi' }]);
    const { runId } = await world.detent.run('Hello').result;
    const { closed } = await open(await ticketUrl(world, { runId }));
    expect(await closed).toEqual({ code: 1000, reason: 'the run has ended' });
  });

  it('takes a bearer token instead of a ticket', async () => {
    const world = await served([{ text: 'hi' }]);
    const { runId } = await world.detent.run('Hello').result;
    const headers = { authorization: `Bearer ${await world.token({ scopes: ['read'] })}` };
    const { status, closed } = await open(placeUrl(world, `/inspect/${runId}`), { headers });
    expect(status).toBe(101);
    expect(await closed).toMatchObject({ code: 1000 });
  });

  it('is found under the prefix of the gateway alone', async () => {
    const world = await served([{ text: 'hi' }], {}, { prefix: '/agent' });
    const { runId } = await world.detent.run('Hello').result;
    const { body } = await world.http(`/agent/api/v1/inspect/ticket?runId=${runId}`);
    const place = `/inspect/${runId}?ticket=${body.ticket}`;
    expect(body.path).toBe(`/agent${place}`);
    expect((await open(placeUrl(world, place))).status).toBe(404);
    expect((await open(placeUrl(world, `/agent${place}`))).status).toBe(101);
  });

  it('follows as many runs as a connection may watch; the one that is quiet for longest goes', async () => {
    const looks = gate();
    const look = tool('look', { run: () => looks.pass().then(() => 'seen') });
    const lines: ScriptLine[] = [...pays, { toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'so' }];
    const world = await served(
      [pays[0] as ScriptLine, ...lines.slice(2), pays[1] as ScriptLine],
      { tools: { define: [pay, look] } },
      { limits: { maxSubscriptions: 1, drainMs: 100 } },
    );
    const quiet = await world.detent.run('Pay').result;
    const { received } = await open(await ticketUrl(world));
    await received.saw(({ sessionId }) => sessionId === quiet.runId);
    const run = world.detent.run('Look');
    await received.saw((message) => message.sessionId === run.runId && message.type === '@xstate.snapshot');
    await world.detent.runs.cancel(quiet.runId);
    looks.open();
    await received.saw(
      (message) =>
        message.sessionId === run.runId &&
        message.type === '@xstate.snapshot' &&
        message.snapshot.status === 'done',
    );
    expect(received.states(quiet.runId)).toEqual([{ active: 'awaitingConfirm' }]);
  });
});

function bound(received: ReturnType<typeof receiver>) {
  return {
    messages: received.messages,
    saw: received.saw.bind(received),
    states: received.states.bind(received),
  };
}
