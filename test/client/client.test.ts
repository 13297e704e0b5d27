import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ClientError, type ClientSocket, createClient } from '../../src/client/index.ts';
import { DetentError } from '../../src/protocol/error.ts';
import { served } from '../gateway/support.ts';
import { gate, tool } from '../support/detent.ts';
import { clientFor, clientOf, logged, portOf, wireTo } from './support.ts';

describe('a client', () => {
  it('starts a run, reads its events and its result', async () => {
    const gateway = await served([{ reasoning: 'Hm.', text: 'Good day.' }]);
    const client = await clientFor(gateway);
    expect(client.state).toBe('idle');
    const run = client.run('hello', { sessionId: 'tea' });
    const events = await Array.fromAsync(run.events);
    const { runId, sessionId } = await run.started;
    expect(sessionId).toBe('tea');
    expect(logged(events)).toEqual(await gateway.detent.runs.timeline(runId));
    expect(await run.result).toMatchObject({ runId, status: 'done', text: 'Good day.', allowed: [] });
    expect(client.state).toBe('open');
  });

  it('converses with a token that may do no more: an answer that streamed has no reasoning', async () => {
    const gateway = await served([{ reasoning: 'Hm.', text: 'Good day.' }]);
    const token = await gateway.token({ scopes: ['talk'], userId: 'ann' });
    const client = await clientFor(gateway, { token });
    const run = client.run('hello');
    const events = await Array.fromAsync(run.events);
    expect(events.map(({ event }) => event)).toContain('assistant.delta');
    expect(JSON.stringify(events)).not.toContain('Hm.');
    expect(await run.result).toMatchObject({ status: 'done', text: 'Good day.' });
  });

  it('reads the events of a run again, and those after a transition', async () => {
    const gateway = await served([{ text: 'Good day.' }]);
    const client = await clientFor(gateway);
    const { runId } = await client.run('hello').result;
    const timeline = await gateway.detent.runs.timeline(runId);
    expect(await Array.fromAsync(client.watch(runId))).toEqual(timeline);
    const [seq] = timeline.map((event) => event.seq);
    expect(await Array.fromAsync(client.watch(runId, { afterSeq: seq ?? 0 }))).toEqual(
      timeline.filter((event) => event.seq > Number(seq)),
    );
    expect(await Array.fromAsync(client.watch(runId, { afterSeq: timeline.at(-1)?.seq ?? 0 }))).toEqual([]);
  });

  it('lets several readers of one run begin at different places', async () => {
    const wait = gate();
    const slow = tool('slow', { run: () => wait.pass() });
    const script = [{ text: 'First', toolCalls: [{ name: 'slow' }] }, { text: 'second.' }];
    const gateway = await served(script, { tools: { define: [slow] } });
    const client = await clientFor(gateway);
    const run = client.run('go');
    const first = Array.fromAsync(run.events);
    await wait.reached;
    const { runId } = await run.started;
    const [late, later] = [
      Array.fromAsync(client.watch(runId)),
      Array.fromAsync(client.watch(runId, { afterSeq: 2 })),
    ];
    wait.open();
    const timeline = await gateway.detent.runs.timeline(runId, 0).then(async () => {
      await run.result;
      return gateway.detent.runs.timeline(runId);
    });
    expect(logged(await first)).toEqual(timeline);
    expect(logged(await late)).toEqual(timeline);
    expect(logged(await later)).toEqual(timeline.filter(({ seq }) => seq > 2));
  });

  it('stops watching when its reader leaves', async () => {
    const wait = gate();
    const slow = tool('slow', { run: () => wait.pass() });
    const gateway = await served([{ toolCalls: [{ name: 'slow' }] }, { text: 'done' }], {
      tools: { define: [slow] },
    });
    const client = await clientFor(gateway);
    const { runId } = await client.request('agent.run', { prompt: 'go' });
    for await (const { event } of client.watch(runId)) if (event === 'tool.call') break;
    wait.open();
    expect(await client.request('agent.wait', { runId })).toMatchObject({ status: 'done' });
  });

  it('decides, answers, steers and cancels', async () => {
    const pay = tool('pay', { sideEffect: 'unsafe', confirm: true, run: () => 'paid' });
    const script = [{ toolCalls: [{ name: 'pay' }] }, { text: 'done' }];
    const client = await clientFor(await served(script, { tools: { define: [pay] } }));
    const run = client.run('pay');
    for await (const { event, runId, payload } of run.events)
      if (event === 'tool.confirm_request')
        expect(
          await client.confirm(runId, payload.callId, { verdict: 'approve', hash: payload.argumentsHash }),
        ).toMatchObject({ applied: true });
    const { runId } = await run.result;
    expect(await client.cancel(runId)).toEqual({ cancelled: false });
    expect(await client.runs()).toHaveLength(1);
    expect(await client.sessions()).toHaveLength(1);
    await expect(client.steer(runId, 'more')).rejects.toBeInstanceOf(ClientError);
  });

  it('throws one class of errors, which programs know by their codes', async () => {
    const gateway = await served([]);
    const client = await clientFor(gateway);
    const error = await client.get('run_none').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClientError);
    expect(DetentError.is(error) && ClientError.is(error)).toBe(true);
    expect(error).toMatchObject({ code: 'NOT_FOUND', retryable: false });
    await expect(Array.fromAsync(client.watch('run_none'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(() => createClient({ url: 'localhost:7420', token: 'x' })).toThrow(/url/);
    const untyped = createClient as (options?: unknown) => unknown;
    for (const options of [undefined, null, 'http://localhost:7420'])
      expect(() => untyped(options)).toThrow(expect.objectContaining({ code: 'INVALID_CLIENT' }));
    await expect(client.http('/api/v1/runs/run_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await (await client.http('/api/v1/runs')).json()).toEqual({ runs: [] });
  });

  it('ends what waits when it is closed', async () => {
    const gateway = await served([{ text: 'never' }]);
    const wire = await wireTo(portOf(gateway.url));
    wire.isDown = true;
    const client = await clientFor(gateway, { url: wire.url });
    const [asked, watched] = [client.runs(), Array.fromAsync(client.watch('run_x'))];
    client.close();
    await expect(asked).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(watched).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(client.runs()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(client.state).toBe('closed');
  });
});

it('is known to the gateway, and may do what its token says, when the program hears that it is connected', async () => {
  const gateway = await served([]);
  const token = await gateway.token({ scopes: ['read'] });
  const heard: unknown[] = [];
  const client = clientOf({
    url: gateway.url,
    token,
    onState: (state) => state === 'open' && heard.push(client.connected?.scopes),
  });
  await client.runs();
  expect(heard).toEqual([['read']]);
});

describe('a token', () => {
  it('that is refused stops the client, until it connects again', async () => {
    const gateway = await served([]);
    const states: string[] = [];
    let token = 'tok_none.x';
    const client = clientOf({ url: gateway.url, token: () => token, onState: (state) => states.push(state) });
    await expect(client.runs()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    // The function was asked once more.
    expect(states).toEqual(['connecting', 'connecting', 'stopped']);
    expect(client.error).toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(client.runs()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    token = await gateway.token();
    client.connect();
    expect(await client.runs()).toEqual([]);
  });

  it('is asked for anew when the gateway does not take it any more', async () => {
    const gateway = await served([]);
    let asked = 0;
    const tokens = ['tok_old.x', await gateway.token()];
    const client = clientOf({ url: gateway.url, token: async () => tokens[asked++] ?? '' });
    expect(await client.runs()).toEqual([]);
    expect(asked).toBe(2);
  });

  it('that is a text is not tried twice', async () => {
    const gateway = await served([]);
    const states: string[] = [];
    const client = clientOf({ url: gateway.url, token: 'x', onState: (state) => states.push(state) });
    await expect(client.runs()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(states).toEqual(['connecting', 'stopped']);
  });

  it('that cannot be checked for now is tried again', async () => {
    let tries = 0;
    const gateway = await served(
      [],
      {},
      {
        authenticate: () => {
          if (++tries < 3) throw new DetentError('DATABASE_BUSY', 'busy', { retryable: true });
          return { tenantId: 1, userId: null, scopes: ['read'] };
        },
      },
    );
    const client = clientOf({ url: gateway.url, token: 'x' });
    expect(await client.runs()).toEqual([]);
    // Twice for nothing, then for the connection and for its frame.
    expect(tries).toBe(4);
  });
});

/** A gateway that answers `connect`, and other requests as long as it lives. */
class FakeSocket implements ClientSocket {
  static sent: string[] = [];
  static lives = true;
  readonly #listeners = new Map<string, (event: never) => void>();

  constructor() {
    queueMicrotask(() => this.#listeners.get('open')?.({} as never));
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  send(text: string): void {
    const { id, method } = JSON.parse(text);
    FakeSocket.sent.push(method);
    const policy = { heartbeatMs: 1000, maxFrameBytes: 1e6, maxSubscriptions: 9 };
    const payload = method === 'connect' ? { policy } : { runs: [] };
    const data = JSON.stringify({ type: 'response', id, ok: true, payload });
    if (FakeSocket.lives) this.#listeners.get('message')?.({ data } as never);
  }

  close(): void {}
}

describe('a connection over which nothing comes', () => {
  it('is kept while the gateway answers, and given up when it does not', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const client = clientOf({ url: 'http://gateway', token: 't', WebSocket: FakeSocket });
    await client.runs();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(client.state).toBe('open');
    expect(FakeSocket.sent.filter((method) => method === 'ping').length).toBeGreaterThan(3);
    FakeSocket.lives = false;
    await vi.advanceTimersByTimeAsync(3000);
    expect(client.state).toBe('idle');
    expect(client.error).toMatchObject({ code: 'DISCONNECTED', retryable: true });
  });
});
