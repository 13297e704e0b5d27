import { createWebSocketReceiver } from '@statelyai/inspect';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor } from 'xstate';
import type { ActorSummary } from '../../src/gateway/inspect/live/actor.ts';
import { type InspectOptions, inspect, inspectUrl } from '../../src/inspect/index.ts';
import type { InspectionMessage } from '../../src/protocol/frames.ts';
import { type FrameClient, type Served, serve, served } from '../gateway/support.ts';
import { example, exampleMessages, unlike } from '../support/inspection.ts';

/** Shows the example at a gateway, and gives its actor. */
async function showing({ url, token }: Pick<Served, 'url' | 'token'>, options: Partial<InspectOptions> = {}) {
  const inspector = inspect({
    url,
    token: await token({ scopes: ['read', 'write'] }),
    sender: 'walkers',
    ...options,
  });
  onTestFinished(() => inspector.stop());
  const actor = createActor(example, { inspect: inspector.inspect });
  actor.start();
  return { inspector, actor };
}

async function shown(
  client: FrameClient,
  fits: (actors: ActorSummary[]) => boolean,
): Promise<ActorSummary[]> {
  for (;;) {
    const { actors } = await client.ask<{ actors: ActorSummary[] }>('inspect.list');
    if (fits(actors)) return actors;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const isAt = (path: string) => (actors: ActorSummary[]) =>
  actors.some((actor) => actor.name === 'walker' && actor.path === path);

/** A WebSocket that opens at once, and keeps what is sent. */
function recording() {
  const sent: InspectionMessage[] = [];
  class Recording {
    addEventListener(type: string, listener: (event: never) => void) {
      if (type === 'open') queueMicrotask(() => (listener as () => void)());
    }
    send(text: string) {
      sent.push(JSON.parse(text));
    }
    close() {}
  }
  const fetch = async () => Response.json({ path: '/inspect/in?ticket=t' });
  return { sent, options: { WebSocket: Recording, fetch } };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('inspect()', () => {
  it('shows actors of a program at the gateway, as they move', async () => {
    const world = await served([{ text: 'hi' }]);
    const client = await world.connect();
    const { actor } = await showing(world);
    await shown(client, isAt('standing'));
    actor.send({ type: 'walk' });
    await shown(client, isAt('walking'));
    actor.send({ type: 'stop' });
    const actors = await shown(client, isAt('home'));
    expect(actors.find(({ name }) => name === 'walker')).toMatchObject({ sender: 'walkers', status: 'done' });
    expect(actors.find(({ name }) => name === 'dog')).toMatchObject({ status: 'done' });
  });

  it('sends what the real inspector sends, message by message', async () => {
    const { sent, options } = recording();
    const { actor } = await showing({ url: 'http://x', token: async () => 't' }, options);
    await settled();
    actor.send({ type: 'walk' });
    actor.send({ type: 'stop' });
    await settled();
    const real = await exampleMessages();
    expect(sent.flatMap((message) => unlike(message, real))).toEqual([]);
    const words = (message: object) => {
      const { type, name, event } = message as { type: string; name?: string; event?: { type: string } };
      return `${type} ${name ?? event?.type}`;
    };
    const own = sent.map(words);
    // The real one was watched until its actor was stopped.
    expect(own).toEqual(real.map(words).filter((word) => own.includes(word)));
    expect(own.slice(0, 2)).toEqual(['@xstate.actor walker', '@xstate.event xstate.init']);
    expect(sent[0]).toMatchObject({ snapshot: { value: 'standing', context: { steps: 0 } } });
  });

  it('shows what it has again when the gateway was restarted', async () => {
    const world = await served([{ text: 'hi' }]);
    const port = Number(new URL(world.url).port);
    const { actor } = await showing(world);
    await shown(await world.connect(), isAt('standing'));
    await world.gateway.close();
    world.server.closeAllConnections();
    await new Promise((resolve) => world.server.close(resolve));
    actor.send({ type: 'walk' });
    const again = await serve(world.detent, {}, port);
    const [walker] = await shown(await again.connect(), isAt('walking'));
    expect(walker).toBeDefined();
  });

  it('shows nothing of events and contexts that the program does not want to show', async () => {
    const { sent, options } = recording();
    const { actor } = await showing(
      { url: 'http://x', token: async () => 't' },
      {
        ...options,
        sanitizeContext: () => ({}),
        sanitizeEvent: ({ type }) => ({ type }),
      },
    );
    await settled();
    actor.send({ type: 'walk', password: 'hunter2' } as never);
    await settled();
    expect(JSON.stringify(sent)).not.toContain('hunter2');
    expect(sent.at(-1)).toMatchObject({ snapshot: { context: {} } });
  });

  it('says that its token is refused, once, and leaves the program alone', async () => {
    const world = await served([{ text: 'hi' }]);
    const errors: unknown[] = [];
    const { actor } = await showing(world, { token: 'wrong', onError: (error) => errors.push(error) });
    actor.send({ type: 'walk' });
    while (errors.length === 0) await settled();
    expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
    expect(actor.getSnapshot().value).toBe('walking');
  });

  it('does not break an actor whose context is no JSON', async () => {
    const { sent, options } = recording();
    const inspector = inspect({ url: 'http://x', token: 't', ...options });
    await settled();
    const loop: Record<string, unknown> = { big: 10n, run: function named() {} };
    loop.self = loop;
    const actor = createActor(example, { inspect: inspector.inspect });
    inspector.inspect.next?.({
      type: '@xstate.snapshot',
      rootId: 'x',
      actorRef: actor,
      event: { type: 'odd', loop },
      snapshot: { status: 'active', context: loop } as never,
    } as never);
    await settled();
    expect(sent.at(-1)).toMatchObject({
      event: { loop: { self: '[Circular]' } },
      snapshot: { context: { big: '10', run: { type: 'named' }, self: '[Circular]' } },
    });
  });

  it.each([
    ['more messages than may wait for a connection', 3_000],
    ['few', 3],
  ])('keeps %s within bounds, the newest', async (_, count) => {
    const { sent, options } = recording();
    const opened = Promise.withResolvers<Response>();
    const { actor } = await showing(
      { url: 'http://x', token: async () => 't' },
      { ...options, fetch: () => opened.promise },
    );
    for (let i = 0; i < count; i++) actor.send({ type: 'odd', i } as never);
    opened.resolve(Response.json({ path: '/inspect/in?ticket=t' }));
    await settled();
    await settled();
    expect(sent[0]).toMatchObject({ type: '@xstate.actor' });
    expect(sent.at(-1)).toMatchObject({ type: '@xstate.snapshot', event: { i: count - 1 } });
    expect(sent.length).toBeLessThanOrEqual(1_010);
  });
});

describe('inspectUrl', () => {
  it('lets the real receiver follow a run', async () => {
    const world = await served([{ text: 'hi' }]);
    const { runId } = await world.detent.run('Hello').result;
    const token = () => world.token({ scopes: ['read'] });
    const server = await inspectUrl({ url: `${world.url}/`, token }, { use: 'follow', runId });
    const ended = new Promise<unknown>((resolve) => {
      createWebSocketReceiver({ server }).subscribe((message) => {
        if (message.type === '@xstate.snapshot' && message.snapshot.status === 'done')
          resolve(message.sessionId);
      });
    });
    expect(await ended).toBe(runId);
  });

  it('works below a prefix', async () => {
    const world = await served([{ text: 'hi' }], {}, { prefix: '/agent' });
    const url = await inspectUrl({ url: `${world.url}/agent`, token: await world.token() }, { use: 'send' });
    expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/agent\/inspect\/in\?ticket=/);
  });
});

describe('a ticket that the gateway refuses', () => {
  it('names the run, and the scope that the token lacks', async () => {
    const { url, token } = await served([]);
    const follow = { use: 'follow', runId: 'run_gone' } as const;
    await expect(inspectUrl({ url, token: await token({ scopes: ['read'] }) }, follow)).rejects.toThrow(
      /\(run run_gone\)$/,
    );
    await expect(
      inspectUrl({ url, token: await token({ scopes: ['read'] }) }, { use: 'send' }),
    ).rejects.toThrow(/: its token lacks the scope write$/);
  });
});
