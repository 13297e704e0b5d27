import { createWebSocketInspector } from '@statelyai/inspect';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor } from 'xstate';
import type { ActorSummary } from '../../../src/gateway/inspect/live/actor.ts';
import type { MachineDefinition, MachineLayout } from '../../../src/protocol/views.ts';
import { applyChanges, type RunTrace } from '../../../src/protocol/views.ts';
import { definitionOf } from '../../../src/runtime/chart/definition.ts';
import { edgesOf } from '../../../src/runtime/chart/edges.ts';
import { example, inOrder } from '../../support/inspection.ts';
import { type FrameClient, served } from '../support.ts';
import { open, ticketUrl } from './support.ts';

interface LiveActorView {
  actor: ActorSummary;
  trace: RunTrace;
  definition?: MachineDefinition;
  layout?: MachineLayout | null;
  refused?: string | null;
}

/** A gateway, and a client of a user who reads what is shown there. */
async function world(token?: Parameters<Awaited<ReturnType<typeof served>>['token']>[0]) {
  const gateway = await served([{ text: 'hi' }]);
  const client = await gateway.connect(token && (await gateway.token(token)));
  return { ...gateway, client };
}

/** Resolves with the actors once they fit. */
async function shown(client: FrameClient, fits: (actors: ActorSummary[]) => boolean) {
  for (;;) {
    const { actors } = await client.ask<{ actors: ActorSummary[] }>('inspect.list');
    if (fits(actors)) return actors;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const show = (client: FrameClient, actorId: string, input: object = {}) =>
  client.ask<LiveActorView>('inspect.get', { actorId, ...input });

/** Runs the example to its end, as a program of a user does who knows nothing of Detent. */
function walk(url: string) {
  const inspector = createWebSocketInspector({ url });
  onTestFinished(() => inspector.stop());
  const actor = createActor(example, { inspect: inspector.inspect });
  actor.start();
  actor.send({ type: 'walk' });
  actor.send({ type: 'stop' });
  return inspector;
}

const walked = (actors: ActorSummary[]) => actors.some(({ path }) => path === 'home');

describe('an actor of a program that uses the real createWebSocketInspector', () => {
  it('is shown with its chart, its transitions and the edges that it took, like a run', async () => {
    const there = await world();
    walk(await ticketUrl(there, { use: 'send', sender: 'walkers' }));
    const actors = await shown(there.client, walked);
    const walker = actors.find(({ name }) => name === 'walker');
    expect(walker).toMatchObject({ sender: 'walkers', isConnected: true, status: 'done', dropped: 0 });
    expect(actors.find(({ name }) => name === 'dog')).toMatchObject({ parentSessionId: walker?.sessionId });
    const { definition, layout, trace, refused } = await show(there.client, String(walker?.actorId));
    const own = definitionOf('walker', 0, example);
    expect(definition && inOrder(definition)).toEqual(inOrder(own));
    expect(refused).toBe(null);
    expect(Object.keys(layout?.states ?? {}).sort()).toEqual(['home', 'standing', 'walking']);
    expect(trace.machine).toEqual({ name: 'walker', version: 0, hash: definition?.hash, known: true });
    const edges = edgesOf(own).map(({ id }) => id);
    const ways = trace.transitions.map(({ event, way }) => ({ event: event.type, ...trace.ways[way] }));
    expect(ways.filter(({ event }) => ['walk', 'stop'].includes(event))).toMatchObject([
      { event: 'walk', from: 'standing', to: 'walking', edges: ['standing->walking'] },
      { event: 'stop', from: 'walking', to: 'home', edges: ['walking->home'] },
    ]);
    expect(edges).toEqual(expect.arrayContaining(ways.flatMap((way) => way.edges ?? [])));
    const context = trace.transitions.reduce(
      (before, { changes }) => applyChanges(before, changes),
      trace.initial.context ?? {},
    );
    expect(context).toEqual({ steps: 1 });
  });

  it('stays when its program has gone, and is replaced when a program of that name comes again', async () => {
    const there = await world();
    const inspector = walk(await ticketUrl(there, { use: 'send', sender: 'walkers' }));
    const before = await shown(there.client, walked);
    inspector.stop();
    await shown(there.client, (actors) => actors.every(({ isConnected }) => !isConnected));
    const { socket } = await open(await ticketUrl(there, { use: 'send', sender: 'walkers' }));
    const [first] = before;
    socket.send(message({ sessionId: String(first?.sessionId), name: 'again' }));
    const after = await shown(there.client, (actors) => actors.some(({ name }) => name === 'again'));
    expect(after.find(({ name }) => name === 'again')).toMatchObject({ actorId: first?.actorId, lastSeq: 0 });
    expect(after).toHaveLength(before.length);
  });

  it('is not mistaken for one of another program that counts its actors in the same way', async () => {
    const there = await world();
    for (const name of ['one', 'two']) {
      const { socket } = await open(await ticketUrl(there, { use: 'send' }));
      socket.send(message({ sessionId: 'x:0', name }));
    }
    expect(await shown(there.client, ({ length }) => length === 2)).toHaveLength(2);
  });

  it('does not exist for other users, and for the tenant’s own token it does', async () => {
    const there = await world({ userId: 'alice' });
    const alice = await there.token({ userId: 'alice' });
    const { socket } = await open(await ticketUrl(there, { use: 'send' }, alice));
    socket.send(message({ name: 'secret' }));
    const [actor] = await shown(there.client, ({ length }) => length === 1);
    const mallory = await there.connect(await there.token({ userId: 'mallory' }));
    expect(await mallory.ask('inspect.list')).toEqual({ actors: [], dropped: 0 });
    const [real, none] = [
      await mallory.refused('inspect.get', { actorId: actor?.actorId }),
      await mallory.refused('inspect.get', { actorId: 'actor_none' }),
    ];
    expect(real.code).toBe('NOT_FOUND');
    expect(real.message.replace(String(actor?.actorId), 'actor_none')).toBe(none.message);
    const host = await there.connect();
    expect((await host.ask('inspect.list')).actors).toHaveLength(1);
  });

  it('goes on where a reader stopped, without its chart', async () => {
    const there = await world();
    const { socket } = await open(await ticketUrl(there, { use: 'send' }));
    socket.send(message({}));
    for (let i = 1; i <= 5; i++) socket.send(message({ type: '@xstate.snapshot', context: { i } }));
    const [actor] = await shown(there.client, ([first]) => first?.lastSeq === 5);
    const answer = await show(there.client, String(actor?.actorId), {
      afterSeq: 3,
      limit: 1,
      withChart: false,
    });
    expect(answer.trace.transitions).toMatchObject([{ seq: 4, changes: { i: [3, 4] } }]);
    expect(answer).not.toHaveProperty('definition');
  });

  it('may send what is no message: that is left out', async () => {
    const there = await world();
    const { socket, closed } = await open(await ticketUrl(there, { use: 'send' }));
    const odd = [
      '',
      'null',
      '[]',
      '{"type":"@xstate.actor"}',
      '{"type":"@xstate.microstep","sessionId":"x"}',
      '{',
    ];
    for (const text of [...odd, '['.repeat(100_000)]) socket.send(text);
    socket.send(Buffer.from(message({ name: 'binary' })));
    socket.send(message({ name: 'good' }));
    const actors = await shown(there.client, ({ length }) => length > 0);
    expect(actors.map(({ name }) => name)).toEqual(['good']);
    socket.send('x'.repeat(2 * 1024 * 1024));
    expect(await closed).toMatchObject({ code: 1009 });
  });
});

/** A message as a program sends it. */
function message(over: {
  type?: string;
  sessionId?: string;
  name?: string;
  value?: unknown;
  context?: unknown;
  definition?: string;
}): string {
  const { type = '@xstate.actor', sessionId = 'x:0', value = 'a', context = {}, ...rest } = over;
  return JSON.stringify({
    type,
    _version: '0.7.2',
    createdAt: '1700000000000',
    id: null,
    rootId: sessionId,
    sessionId,
    snapshot: { status: 'active', value, context, children: {}, tags: [] },
    ...(type === '@xstate.actor'
      ? { name: 'example', definition: '{"id":"example"}' }
      : { event: { type: 'go' } }),
    ...rest,
  });
}
