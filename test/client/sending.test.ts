import { describe, expect, it } from 'vitest';
import type { Client, ClientOptions, ClientStorage } from '../../src/client/index.ts';
import { type Served, served } from '../gateway/support.ts';
import { gate, tool } from '../support/detent.ts';
import { clientFor, clientOf, logged, portOf, until, type Wire, wireTo } from './support.ts';

/** A client whose way to a gateway can be cut. */
async function wired(
  gateway: Served,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; wire: Wire }> {
  const wire = await wireTo(portOf(gateway.url));
  return { client: await clientFor(gateway, { url: wire.url, ...options }), wire };
}

const lines = (n: number) => Array.from({ length: n }, (_, i) => ({ text: `answer ${i}` }));

function memory(): ClientStorage & { kept: Map<string, string>; sends(): { prompt: string }[] } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: async (key) => kept.get(key),
    set: async (key, value) => kept.set(key, value),
    sends: () => JSON.parse([...kept.values()][0] ?? '{"sends":[]}').sends,
  };
}

describe('without a connection', () => {
  it('requests wait, and go in order when there is one', async () => {
    const gateway = await served(lines(60));
    const { client, wire } = await wired(gateway);
    wire.isDown = true;
    const runs = Array.from({ length: 60 }, (_, i) => client.run(`prompt ${i}`, { sessionId: 'one' }));
    await until(() => client.state === 'waiting');
    wire.isDown = false;
    const started = await Promise.all(runs.map((run) => run.started));
    await Promise.all(runs.map((run) => run.result));
    const newestFirst = await gateway.detent.runs.list({ limit: 100 });
    expect(newestFirst.map(({ runId }) => runId).reverse()).toEqual(started.map(({ runId }) => runId));
  });

  it('requests beyond the limit are refused', async () => {
    const gateway = await served([]);
    const { client, wire } = await wired(gateway, { maxQueued: 2 });
    wire.isDown = true;
    const waiting = [client.runs(), client.sessions()];
    await expect(client.runs()).rejects.toMatchObject({ code: 'QUEUE_FULL', retryable: true });
    wire.isDown = false;
    expect(await Promise.all(waiting)).toEqual([[], []]);
  });

  it('a request can be aborted while it waits', async () => {
    const gateway = await served([]);
    const { client, wire } = await wired(gateway);
    wire.isDown = true;
    const controller = new AbortController();
    const run = client.run('never', { signal: controller.signal });
    controller.abort();
    await expect(run.started).rejects.toMatchObject({ code: 'ABORTED' });
    wire.isDown = false;
    expect(await client.runs()).toEqual([]);
  });
});

describe('when the connection breaks before the response', () => {
  it('a start is sent again, and makes one run', async () => {
    const gateway = await served([{ text: 'once' }]);
    const { client, wire } = await wired(gateway);
    await client.runs();
    // The response is cut within its first bytes, so the run is made.
    wire.cut();
    wire.cutAfterBytes = 700;
    const run = client.run('hello');
    await until(() => wire.connections >= 4);
    wire.cutAfterBytes = null;
    wire.cut();
    const events = await Array.fromAsync(run.events);
    const { runId } = await run.started;
    expect(await client.runs()).toHaveLength(1);
    expect(logged(events)).toEqual(await gateway.detent.runs.timeline(runId));
  });

  it('a message to a run is sent again, and heard once', async () => {
    const wait = gate();
    const slow = tool('slow', { run: () => wait.pass() });
    const gateway = await served([{ toolCalls: [{ name: 'slow' }] }, { text: 'done' }, { text: 'more' }], {
      tools: { define: [slow] },
    });
    const { client, wire } = await wired(gateway);
    const { runId } = await client.run('go').started;
    await wait.reached;
    for (let i = 0; i < 10; i++) {
      const steered = client.steer(runId, `hurry ${i}`);
      // Sometimes before the gateway has the request, sometimes behind its response.
      await new Promise((resolve) => setTimeout(resolve, i));
      wire.cut();
      expect(await steered).toEqual({ runId });
    }
    wait.open();
    const log = await gateway.detent.runs.events(runId);
    expect(log.filter(({ event }) => event.type === 'run.message')).toHaveLength(10);
  });

  it.each([
    ['session.create', {}],
    ['agent.run', { prompt: 'hello', mode: 'steer' }],
  ] as const)('%s is sent again, and done once', async (method, payload) => {
    const gateway = await served([{ text: 'once' }]);
    const { client, wire } = await wired(gateway);
    await client.runs();
    for (let i = 0; i < 5; i++) {
      const asked = client.request(method, { ...payload, idempotencyKey: 'k1' });
      await new Promise((resolve) => setTimeout(resolve, i));
      wire.cut();
      await asked;
    }
    expect(await gateway.detent.sessions.list()).toHaveLength(1);
  });

  it('a gateway that drains leaves the start to the next one', async () => {
    const first = await served([], {}, { limits: { drainMs: 200 } });
    const second = await served([{ text: 'here' }]);
    const { client, wire } = await wired(first, {
      token: () => (wire.port === portOf(first.url) ? tokens[0] : tokens[1]) ?? '',
    });
    const tokens = [await first.token(), await second.token()];
    await client.runs();
    const started = first.detent.run('keeps the gateway busy').started.catch(() => {});
    const closing = first.gateway.close();
    const run = client.run('hello');
    wire.port = portOf(second.url);
    await Promise.all([closing, started]);
    expect(await run.result).toMatchObject({ text: 'here' });
  });
});

describe('a request that JSON cannot hold', () => {
  it('is refused, connected or not, and stops no other', async () => {
    const gateway = await served([{ text: 'here' }]);
    const client = await clientFor(gateway);
    const odd: Record<string, unknown> = {};
    odd.odd = odd;
    for (const input of [odd, { amount: 5n }]) {
      const call = client.request('tool.call', { tool: 'calculator', input: input as never });
      await expect(call).rejects.toMatchObject({ name: 'ClientError', code: 'INVALID_REQUEST' });
      await client.runs();
    }
    expect(await client.run('hello').result).toMatchObject({ text: 'here' });
  });

  it('is sent as it was, also when the program changes it meanwhile', async () => {
    const client = await clientFor(await served([]));
    const input = { expression: '6 * 7' };
    const call = client.request('tool.call', { tool: 'calculator', input });
    input.expression = '1 + 1';
    const { runId } = await call;
    expect(await client.request('agent.wait', { runId })).toMatchObject({ call: { result: '42' } });
  });
});

describe('a frame that is too large', () => {
  it('is refused before it breaks the connection', async () => {
    const gateway = await served([]);
    const client = await clientFor(gateway);
    await client.runs();
    await expect(client.run('漢'.repeat(400_000)).started).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' });
    expect(client.state).toBe('open');
  });
});

describe('a storage', () => {
  it('keeps starts over the end of the program', async () => {
    const gateway = await served(lines(3));
    const storage = memory();
    const { client, wire } = await wired(gateway, { storage });
    wire.isDown = true;
    for (const prompt of ['a', 'b']) client.run(prompt, { sessionId: 's' });
    await until(() => storage.sends().length === 2);
    client.close();
    wire.isDown = false;
    const restored: string[] = [];
    const next = clientOf({
      url: wire.url,
      token: await gateway.token(),
      storage,
      onRestored: ({ prompt, run, sessionId }) => {
        restored.push(`${prompt} ${sessionId}`);
        void run.result;
      },
    });
    await next.run('c', { sessionId: 's' }).result;
    expect(restored).toEqual(['a s', 'b s']);
    const prompts = (await next.runs()).map((run) => run.prompt);
    expect(prompts).toEqual(['c', 'b', 'a']);
    await until(() => storage.sends().length === 0);
  });

  it('keeps them from another user', async () => {
    const gateway = await served([]);
    const storage = memory();
    const { client, wire } = await wired(gateway, { storage });
    await client.runs();
    wire.isDown = true;
    wire.cut();
    client.run('of the first');
    await until(() => storage.sends().length === 1);
    client.close();
    wire.isDown = false;
    const refused: Promise<unknown>[] = [];
    const other = clientOf({
      url: wire.url,
      token: await gateway.token({ userId: 'bob', scopes: ['read', 'write'] }),
      storage,
      onRestored: ({ run }) => refused.push(run.started.catch((error: unknown) => error)),
    });
    await until(() => other.state === 'open');
    expect(await Promise.all(refused)).toMatchObject([{ code: 'OTHER_USER' }]);
    expect(await gateway.detent.runs.list()).toEqual([]);
    await until(() => storage.sends().length === 0);
  });

  it('that fails is reported, and the start goes all the same', async () => {
    const gateway = await served([{ text: 'here' }]);
    const errors: unknown[] = [];
    const client = await clientFor(gateway, {
      storage: { get: () => 'no JSON', set: () => Promise.reject(new Error('full')) },
      onError: (error) => errors.push(String(error)),
    });
    expect(await client.run('hello').result).toMatchObject({ text: 'here' });
    expect(errors).toContain('Error: full');
    expect(errors[0]).toMatch(/SyntaxError/);
  });
});
