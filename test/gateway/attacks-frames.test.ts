import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import { gate, tool } from '../support/detent.ts';
import { inSizes, sized } from '../support/size.ts';
import { rawSocket, upgrade } from './sockets.ts';
import { openSocket, served } from './support.ts';

const request = (method: string, payload?: unknown, id = '1') =>
  JSON.stringify({ type: 'request', id, method, payload });

describe('a frame before connect', () => {
  it.each([
    ['none of ours', 'hello'],
    ['no JSON', '{'],
    ['100,000 brackets', '['.repeat(10_000)],
    ['null', 'null'],
    ['a list', '[]'],
    ['bytes', Buffer.from(request('connect', { token: 'x' }))],
    ['another method', request('run.list')],
    ['an id that is a number', '{"type":"request","id":1,"method":"connect","payload":{"token":"x"}}'],
    ['an id that is too long', request('connect', { token: 'x' }, 'x'.repeat(201))],
    ['connect without a token', request('connect', {})],
    ['connect with an empty token', request('connect', { token: '' })],
    ['connect with a token that is a list', request('connect', { token: ['x'] })],
    ['connect with a tenant of its own', request('connect', { token: 'x', tenantId: 2 })],
    ['connect with a version that is text', request('connect', { token: 'x', minProtocol: '1' })],
    ['connect with the version 0', request('connect', { token: 'x', maxProtocol: 0 })],
  ])('that is %s ends the connection', async (_, frame) => {
    const { url, http } = await served([]);
    const client = await openSocket(url);
    client.socket.send(frame);
    expect((await client.closed).code).toBe(1008);
    expect((await http('/healthz')).status).toBe(200);
  });

  it.each([[{ minProtocol: 2 }], [{ minProtocol: 2, maxProtocol: 9 }], [{ minProtocol: 9, maxProtocol: 1 }]])(
    'of a version that the gateway does not speak is refused: %j',
    async (versions) => {
      const { url, token } = await served([]);
      const client = await openSocket(url);
      expect(await client.refused('connect', { token: await token(), ...versions })).toMatchObject({
        code: 'PROTOCOL_VERSION',
      });
      await client.closed;
    },
  );

  it('may be small only: a stranger makes the gateway hold little', async () => {
    const { url } = await served([]);
    const client = await openSocket(url);
    client.socket.send('x'.repeat(200_000), { fin: false });
    expect((await client.closed).code).toBe(1006);
  });

  it('and a second one beside a connect under way end the connection', async () => {
    const { url, token } = await served(
      [],
      {},
      { authenticate: () => new Promise(() => {}), limits: { authenticateMs: 1_000 }, onError: () => {} },
    );
    const client = await openSocket(url);
    const frame = request('connect', { token: await token() });
    client.socket.send(frame);
    client.socket.send(frame);
    expect((await client.closed).code).toBe(1008);
  });
});

describe('a client that is let in', () => {
  it.each([
    ['no JSON', '{', null],
    ['no object', '[1]', null],
    ['bytes', Buffer.from(request('run.list')), null],
    ['no request', '{"type":"response","id":"7"}', '7'],
    ['a request with a field too many', '{"type":"request","id":"7","method":"run.list","as":"admin"}', '7'],
    ['a request without a method', '{"type":"request","id":"7"}', '7'],
    [
      '100,000 brackets',
      `{"type":"request","id":"7","method":"run.list","payload":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      null,
    ],
    ['a prototype', '{"type":"request","id":"7","__proto__":{"method":"run.list"}}', '7'],
  ])('gets an error for %s, and stays', async (_, frame, id) => {
    const { connect } = await served([]);
    const client = await connect();
    const answer = new Promise((resolve) =>
      client.socket.once('message', (data) => resolve(JSON.parse(String(data)))),
    );
    client.socket.send(frame);
    expect(await answer).toMatchObject({ type: 'response', id, ok: false, error: { code: 'INVALID_FRAME' } });
    expect(await client.ask('run.list')).toEqual({ runs: [] });
  });

  it.each([
    ['a prototype', '{"__proto__":{"prompt":"hello"}}'],
    ['a prototype beside the fields', '{"prompt":"hello","__proto__":{"approve":"all"}}'],
    ['a constructor', '{"prompt":"hello","constructor":1}'],
    ['a list', '["hello"]'],
    ['a text', '"hello"'],
    ['a tenant', '{"prompt":"hello","tenantId":2}'],
    [
      'a prompt that is too long',
      JSON.stringify({ prompt: 'x'.repeat(300_000), sessionId: 'x'.repeat(300) }),
    ],
  ])('starts nothing with a payload of %s', async (_, payload) => {
    const { connect, detent } = await served([{ text: 'hi' }]);
    const client = await connect();
    const answer = new Promise((resolve) =>
      client.socket.once('message', (data) => resolve(JSON.parse(String(data)))),
    );
    client.socket.send(`{"type":"request","id":"7","method":"agent.run","payload":${payload}}`);
    expect(await answer).toMatchObject({ id: '7', ok: false, error: { code: 'INVALID_REQUEST' } });
    expect(await detent.runs.list()).toEqual([]);
  });

  it('cannot connect a second time', async () => {
    const { connect, token } = await served([]);
    const client = await connect();
    expect(await client.refused('connect', { token: await token() })).toMatchObject({
      code: 'UNKNOWN_METHOD',
    });
  });

  it.each([
    ['too large', (socket: WebSocket) => socket.send('x'.repeat(20_001)), 1009],
    [
      'too large in pieces',
      (socket: WebSocket) => {
        for (let i = 0; i < 21; i++) socket.send('x'.repeat(1_000), { fin: i === 20 });
      },
      1009,
    ],
    [
      'of text that is no UTF-8',
      (socket: WebSocket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }),
      1007,
    ],
    [
      'in very many pieces',
      (socket: WebSocket) => {
        for (let i = 0; i < 17_000; i++) socket.send('', { fin: false });
      },
      1008,
    ],
  ])('is sent away for a frame that is %s', async (_, send, code) => {
    const { connect, http } = await served([], {}, { limits: { maxFrameBytes: 20_000 } });
    const client = await connect();
    send(client.socket);
    expect((await client.closed).code).toBe(code);
    expect((await http('/healthz')).status).toBe(200);
  });

  it('may send a request in pieces', async () => {
    const { connect } = await served([]);
    const client = await connect();
    const answer = new Promise((resolve) =>
      client.socket.once('message', (data) => resolve(JSON.parse(String(data)))),
    );
    const whole = request('run.list', {});
    for (const [i, piece] of [...whole].entries()) client.socket.send(piece, { fin: i === whole.length - 1 });
    expect(await answer).toMatchObject({ ok: true, payload: { runs: [] } });
  });

  it('has as many requests under way as it may, and as many in a minute, counting frames that are none', async () => {
    const limits = { maxPending: 3, requestsPerMinute: 20 };
    const asked = gate();
    const { connect, token } = await served(
      [(_, { signal }) => asked.pass(signal).then(() => ({ text: '' }))],
      {},
      { limits },
    );
    const client = await connect();
    const { runId } = await client.ask('agent.run', { prompt: 'wait' });
    const waits = Array.from({ length: 5 }, () => client.request('agent.wait', { runId, timeoutMs: 60_000 }));
    const refused = await Promise.all(waits.slice(3));
    for (const answer of refused)
      expect(answer).toMatchObject({ error: { code: 'TOO_MANY_REQUESTS', retryable: true } });
    for (let i = 0; i < 14; i++) client.socket.send('nonsense');
    expect(await client.refused('run.list')).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    const other = await connect(await token());
    expect(await other.ask('run.list')).toMatchObject({ runs: [{ runId }] });
    asked.open();
    await Promise.all(waits);
  });

  it('gets an answer to each of several requests with one id', async () => {
    const { connect } = await served([]);
    const client = await connect();
    const ids: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      client.socket.on('message', (data) => {
        ids.push(JSON.parse(String(data)).id);
        if (ids.length === 5) resolve();
      });
    });
    for (let i = 0; i < 5; i++) client.socket.send(request('run.list', {}, 'same'));
    await all;
    expect(ids).toEqual(Array(5).fill('same'));
  });

  it('watches at most as many runs as it may, also when it asks for all at once', async () => {
    const asked = gate();
    // Runs that are at work: the place of one that has ended is free again.
    const { connect } = await served(
      Array(6).fill((_: unknown, { signal }: { signal: AbortSignal }) =>
        asked.pass(signal).then(() => ({ text: '' })),
      ),
      {},
      { limits: { maxSubscriptions: 3 } },
    );
    const client = await connect();
    const start = () => client.ask('agent.run', { prompt: 'hi', subscribe: false });
    const runs = await Promise.all(Array.from({ length: 6 }, start));
    const answers = await Promise.all(runs.map(({ runId }) => client.request('run.subscribe', { runId })));
    expect(answers.filter(({ ok }) => !ok)).toHaveLength(3);
    asked.open();
  });

  it('that leaves while its requests are under way does no harm', async () => {
    const { connect, http } = await served([{ text: 'hi' }]);
    const client = await connect();
    for (let i = 0; i < 40; i++) client.socket.send(request('run.subscribe', { runId: `run_${i}` }, `${i}`));
    client.socket.send(request('agent.run', { prompt: 'hi' }));
    client.socket.terminate();
    await client.closed;
    expect((await http('/healthz')).status).toBe(200);
  });
});

describe('many', () => {
  it('tiny frames at once end in one refusal, and others are served', async () => {
    const { url, connect } = await served([]);
    const other = await connect();
    const raw = await rawSocket(url);
    raw.write(upgrade('/ws', 'Host: localhost'));
    await raw.saw('\r\n\r\n');
    // A masked text frame with one letter.
    const frame = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]);
    raw.write(Buffer.concat(Array<Buffer>(2_000).fill(frame)));
    expect(await other.ask('run.list')).toEqual({ runs: [] });
    await raw.saw('the first frame must be');
    // It answers as a client does, so that the gateway does not wait for that.
    raw.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    expect((await raw.closed).split('the first frame must be').length).toBe(2);
  });

  it('pings of a client that reads nothing do not pile up', async () => {
    const { url, http, token } = await served([], {}, { limits: { maxBufferedBytes: 10_000 } });
    const raw = await rawSocket(url);
    raw.write(upgrade('/ws', 'Host: localhost'));
    await raw.saw('\r\n\r\n');
    const hello = Buffer.from(request('connect', { token: await token() }));
    raw.write(
      Buffer.concat([Buffer.from([0x81, 0xfe, hello.length >> 8, hello.length & 255, 0, 0, 0, 0]), hello]),
    );
    await raw.saw('"protocol"');
    raw.socket.pause();
    const ping = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)]);
    const pings = Buffer.concat(Array<Buffer>(1_000).fill(ping));
    for (let i = 0; i < 200 && !raw.socket.destroyed; i++) {
      if (!raw.socket.write(pings))
        await Promise.race([new Promise((resolve) => raw.socket.once('drain', resolve)), raw.closed]);
    }
    raw.socket.resume();
    // It is closed, also where the reset that comes behind the reason swallows it.
    await Promise.race([raw.saw('reads too slowly'), raw.closed]);
    expect((await http('/healthz')).status).toBe(200);
  });

  it('connections that never say who they are do not keep out those that do', async () => {
    const { url, connect } = await served([], {}, { limits: { maxStrangers: 10 } });
    const strangers = await Promise.all(Array.from({ length: 30 }, () => openSocket(url)));
    const client = await connect();
    expect(await client.ask('run.list')).toEqual({ runs: [] });
    const codes = await Promise.all(strangers.slice(0, 20).map(({ closed }) => closed));
    expect(new Set(codes.map(({ code }) => code))).toEqual(new Set([1008]));
  });

  it('idle sockets leave the gateway answering, and are gone with it', async () => {
    const { url, connect, gateway, server } = await served(
      [],
      {},
      { limits: { maxConnectionsPerUser: 1e6 } },
    );
    // Both ends are in this process, which may be allowed 20,000 descriptors.
    const count = inSizes({ usual: 40, deep: 200, full: 9_000 });
    const client = await connect();
    const before = process.memoryUsage().rss;
    const idle: WebSocket[] = [];
    onTestFinished(() => idle.forEach((socket) => void socket.terminate()));
    for (let i = 0; i < count; i += 50)
      idle.push(...(await Promise.all(Array.from({ length: 50 }, async () => (await connect()).socket))));
    expect(await client.ask('run.list')).toEqual({ runs: [] });
    const perSocket = (process.memoryUsage().rss - before) / count;
    // Both ends of the connection are in this process.
    expect(perSocket).toBeLessThan(100 * 1024);
    await gateway.close();
    await expect
      .poll(() => new Promise((resolve) => void server.getConnections((_, open) => resolve(open))))
      .toBe(0);
    expect(url).toBeTruthy();
  });

  it('clients that never read are sent away, and others get every event', async () => {
    const size = 1_000;
    const pieces = 100;
    const asked = gate();
    const { connect, url, token } = await served(
      [
        async (_, { onDelta, signal }) => {
          await asked.pass(signal);
          for (let i = 0; i < pieces; i++) {
            onDelta({ type: 'text', text: 'x'.repeat(size) });
            await new Promise((resolve) => setImmediate(resolve));
          }
          return { text: 'the end' };
        },
      ],
      {},
      { limits: { maxBufferedBytes: 20_000, stallMs: 500 } },
    );
    const reader = await connect();
    const { runId } = await reader.ask('agent.run', { prompt: 'go' });
    const shown = await token();
    const deaf = await Promise.all(
      Array.from({ length: sized(10, 100) }, async () => {
        const client = await connect(shown);
        await client.ask('run.subscribe', { runId });
        client.socket.pause();
        return client;
      }),
    );
    const stream = await fetch(`${url}/api/v1/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${shown}` },
    });
    asked.open();
    await reader.saw(({ event }) => event === 'lifecycle.end');
    const got = reader.events
      .map((event) => (event.event === 'assistant.delta' ? event.payload.content : ''))
      .join('');
    expect(got.length).toBe(size * pieces + 'the end'.length);
    for (const { socket } of deaf) socket.terminate();
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });
});

describe('an error', () => {
  it('of the database tells a client no path and no statement', async () => {
    const errors: unknown[] = [];
    const { detent, connect, http } = await served([], {}, { onError: (error) => errors.push(error) });
    const client = await connect();
    detent.runs.list = async () => {
      throw Object.assign(new Error('SQLITE_IOERR: select * from run where /home/eve/.detent/detent.db'), {
        code: 'SQLITE_IOERR',
      });
    };
    expect(await client.refused('run.list')).toEqual({
      code: 'INTERNAL',
      message: 'the gateway failed; see its log',
      retryable: false,
    });
    const { DetentError } = await import('../../src/protocol/error.ts');
    const busy = async () => {
      throw new DetentError('DATABASE_BUSY', 'database /home/eve/.detent/detent.db is busy', {
        retryable: true,
        details: { file: '/home/eve/.detent/detent.db' },
      });
    };
    Object.assign(detent, { checkReady: busy });
    detent.runs.list = busy;
    expect(await client.refused('run.list')).toEqual({
      code: 'DATABASE_BUSY',
      message: 'the gateway failed; try again later',
      retryable: true,
    });
    expect((await http('/readyz', { token: null })).status).toBe(503);
    expect(JSON.stringify((await http('/readyz', { token: null })).body)).not.toContain('eve');
    expect(errors).toHaveLength(4);
  });

  it('of a tool is told only to those who may see the run', async () => {
    const broken = tool('look', { run: () => Promise.reject(new Error('Xanadu')) });
    const { connect, token } = await served(
      [{ toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'done' }],
      { tools: { define: [broken] } },
    );
    const owner = await connect(await token({ userId: 'alice' }));
    const { runId } = await owner.ask('agent.run', { prompt: 'go' });
    await owner.saw(({ event }) => event === 'lifecycle.end');
    const other = await connect(await token({ userId: 'mallory' }));
    for (const method of ['run.get', 'run.events', 'run.log', 'run.why'])
      expect(JSON.stringify(await other.request(method, { runId }))).not.toContain('Xanadu');
  });
});
