import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createOpenAIChat } from '../../../src/models/openai/chat.ts';
import { chunk, done, event } from '../support/events.ts';
import { generate, read } from '../support/generate.ts';
import { serve, stream } from '../support/loopback.ts';

const never = () => {};

/** Waits until `condition` holds; fails by the test's own time-out. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

describe('a failing call', () => {
  it('fails when the server reports an error in the middle, and keeps what had come', async () => {
    const report = { error: { message: 'The engine is overloaded.', type: 'overloaded_error', code: null } };
    const { baseURL } = await serve((response) =>
      stream(response, [chunk({ content: 'Once' }), event(report)]),
    );
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({
      text: 'Once',
      finishReason: null,
      error: { kind: 'overloaded', retryable: true },
    });
  });

  it.each([
    ['a named event', 'event: error\ndata: {"message":"Out of memory"}\n\n', 'server', 'Out of memory'],
    ['a named event of text', 'event: error\ndata: Out of memory\n\n', 'server', 'Out of memory'],
    [
      'vLLM',
      event({ object: 'error', message: 'Too long', type: 'BadRequestError', code: 400 }),
      'bad_request',
      'Too long',
    ],
    [
      'OpenRouter',
      event({ choices: [{ delta: {}, finish_reason: 'error' }], error: { code: 502, message: 'Gone' } }),
      'server',
      'Gone',
    ],
    [
      'a choice',
      event({ choices: [{ error: { code: 429, message: 'Slow down' } }] }),
      'rate_limit',
      'Slow down',
    ],
    ['a string', event({ error: 'cuda error' }), 'server', 'cuda error'],
  ])('reads an error reported by %s', (_, report, kind, message) => {
    const { answer } = read([chunk({ content: 'Once' }), report, chunk({ content: ' more' }), done]);
    expect(answer).toMatchObject({ text: 'Once', error: { kind } });
    expect(answer.error?.message).toContain(message);
  });

  it.each([
    ['error', 'server'],
    ['network_error', 'server'],
    ['insufficient_system_resource', 'overloaded'],
  ])('takes the finish reason %s for the failure that it reports', (finish, kind) => {
    const { answer } = read([chunk({ content: 'Once' }), chunk({}, { finish }), done]);
    expect(answer).toMatchObject({ text: 'Once', finishReason: finish, error: { kind, retryable: true } });
  });

  it('calls a dropped connection a network failure, and keeps what had come', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'Once' }), () => response.destroy());
    });
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({
      text: 'Once',
      error: { kind: 'network', code: 'MODEL_NETWORK', retryable: true },
    });
  });

  it('calls a reset connection a network failure', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200);
      response.write(chunk({ content: 'Once' }), () => response.socket?.resetAndDestroy());
    });
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({ text: 'Once', error: { kind: 'network', retryable: true } });
    expect(answer.error?.message).toContain(new URL(baseURL).origin);
  });

  it.each([
    ['nothing', []],
    ['comments', [': OPENROUTER PROCESSING\n\n']],
    ['text without an end', [chunk({ content: 'Once' })]],
    ['half an event', [chunk({ content: 'Once' }), 'data: {"choi']],
  ])('calls a stream of %s cut off', async (_, pieces) => {
    const { baseURL } = await serve((response) => stream(response, pieces));
    expect((await generate(baseURL)).answer.error).toMatchObject({ kind: 'network', retryable: true });
  });

  it.each([
    ['a finish reason', chunk({ content: 'Once' }, { finish: 'stop' }), 'stop'],
    ['[DONE]', chunk({ content: 'Once' }) + done, null],
  ])('does not mind a connection dropped after %s', async (_, bytes, finishReason) => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200);
      response.write(bytes, () => response.socket?.resetAndDestroy());
    });
    expect((await generate(baseURL)).answer).toMatchObject({ text: 'Once', finishReason, error: null });
  });

  it('answers at [DONE], also when the server keeps the connection open', async () => {
    const { baseURL, sockets } = await serve((response) => {
      response.writeHead(200);
      response.write(chunk({ content: 'Once' }) + done);
    });
    expect((await generate(baseURL)).answer).toMatchObject({ text: 'Once', error: null });
    await until(() => sockets.size === 0);
  });

  it('gives up on a server that never answers', async () => {
    const { baseURL, sockets } = await serve(never);
    const { answer } = await generate(baseURL, { firstByteTimeoutMs: 40 });
    expect(answer.error).toMatchObject({ kind: 'timeout', code: 'MODEL_TIMEOUT', retryable: true });
    await until(() => sockets.size === 0);
  });

  it('gives up on a server that sends a head and nothing else', async () => {
    const { baseURL } = await serve((response) => response.writeHead(200).flushHeaders());
    const { answer } = await generate(baseURL, { firstByteTimeoutMs: 40, idleTimeoutMs: 10_000 });
    expect(answer.error?.kind).toBe('timeout');
  });

  it('gives up on a stream that falls silent, and keeps what had come', async () => {
    const { baseURL, sockets } = await serve((response) => {
      response.writeHead(200);
      response.write(chunk({ content: 'Once' }));
    });
    const { answer } = await generate(baseURL, { idleTimeoutMs: 40 });
    expect(answer).toMatchObject({ text: 'Once', error: { kind: 'timeout', retryable: true } });
    await until(() => sockets.size === 0);
  });

  it('has patience with a slow stream that goes on', async () => {
    const { baseURL } = await serve(async (response) => {
      response.writeHead(200);
      for (const word of ['Once', ' upon', ' a', ' time']) {
        response.write(chunk({ content: word }));
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      response.end(done);
    });
    const { answer } = await generate(baseURL, { idleTimeoutMs: 120, firstByteTimeoutMs: 2_000 });
    expect(answer).toMatchObject({ text: 'Once upon a time', error: null });
  });

  it('stops at once when aborted in the middle, keeps what had come and closes the connection', async () => {
    const { baseURL, sockets } = await serve((response) => {
      response.writeHead(200);
      response.write(chunk({ content: 'Once' }));
    });
    const controller = new AbortController();
    const { answer } = await generate(baseURL, {
      signal: controller.signal,
      onDelta: () => controller.abort(),
    });
    expect(answer).toMatchObject({
      text: 'Once',
      error: { kind: 'aborted', code: 'MODEL_ABORTED', retryable: false },
    });
    await until(() => sockets.size === 0);
  });

  it('stops at once when aborted while waiting', async () => {
    const { baseURL, requests, sockets } = await serve(never);
    const controller = new AbortController();
    const call = generate(baseURL, { signal: controller.signal });
    await until(() => requests.length === 1);
    controller.abort(new Error('deadline'));
    expect((await call).answer.error).toMatchObject({ kind: 'aborted', retryable: false });
    await until(() => sockets.size === 0);
  });

  it('leaves the next call of the same provider alone', async () => {
    const { baseURL } = await serve((response, { body }) => {
      if (String(body).includes('first')) response.write('');
      else void stream(response, [chunk({ content: 'Second' }), done]);
    });
    const chat = createOpenAIChat({ baseURL, apiKey: null });
    const request = (text: string) => ({
      model: 'm',
      messages: [{ role: 'user' as const, text }],
      tools: [],
    });
    const options = { idempotencyKey: 'k', onDelta: never };
    const controller = new AbortController();
    const first = chat.generate(request('first'), { ...options, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect((await first).error?.kind).toBe('aborted');
    const second = await chat.generate(request('second'), {
      ...options,
      signal: new AbortController().signal,
    });
    expect(second).toMatchObject({ text: 'Second', error: null });
  });

  it('sends nothing when aborted before', async () => {
    const { baseURL, requests } = await serve(never);
    const { answer } = await generate(baseURL, { signal: AbortSignal.abort() });
    expect(answer.error?.kind).toBe('aborted');
    expect(requests).toHaveLength(0);
  });

  it('names the address and the cause when nothing listens there', async () => {
    const baseURL = `http://127.0.0.1:${await freePort()}/v1`;
    const { answer } = await generate(baseURL);
    expect(answer.error).toMatchObject({ kind: 'network', code: 'MODEL_NETWORK', retryable: true });
    expect(answer.error?.message).toContain(new URL(baseURL).origin);
    expect(answer.error?.message).toContain('ECONNREFUSED');
  });

  it('names the address and the cause when the host is unknown', async () => {
    const { answer } = await generate('http://no-such-host.invalid/v1');
    expect(answer.error).toMatchObject({ kind: 'network', retryable: true });
    expect(answer.error?.message).toMatch(/no-such-host\.invalid.*(ENOTFOUND|EAI_AGAIN)/);
  });

  it('reports a server that does not speak TLS as a network failure', async () => {
    const { baseURL } = await serve(never);
    const { answer } = await generate(baseURL.replace('http:', 'https:'));
    expect(answer.error).toMatchObject({ kind: 'network', retryable: true });
  });

  it('calls an event that is no JSON malformed, and keeps what had come', async () => {
    const { baseURL } = await serve((response) =>
      stream(response, [chunk({ content: 'Once' }), 'data: {"choices\n\n']),
    );
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({ text: 'Once', error: { kind: 'malformed', code: 'MODEL_MALFORMED' } });
  });

  it.each([
    ['a giant line', 'data: ', 'x'],
    ['a giant event', '', 'data: x\n'],
    ['a giant answer', '', chunk({ content: 'x'.repeat(1_000) })],
    [
      'giant arguments',
      '',
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(1_000) } }] }),
    ],
    [
      'giant details',
      '',
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x'.repeat(1_000) }] }),
    ],
    ['a giant whole answer', '{"choices":[{"message":{"content":"', 'x'],
  ])('gives up on %s', (_, start, more) => {
    const maxChars = 100_000;
    const pieces = [start, ...Array<string>(maxChars).fill(more)];
    expect(() => read(pieces, maxChars)).toThrow('sent more than 100000 characters');
  });

  it('closes the connection of a server that sends too much', async () => {
    const { baseURL, sockets } = await serve((response) => {
      response.writeHead(200);
      const line = 'x'.repeat(1 << 20);
      const more = (): void => {
        if (!response.destroyed) response.write(line, more);
      };
      response.write('data: ', more);
    });
    const { answer } = await generate(baseURL);
    expect(answer.error).toMatchObject({ kind: 'malformed', retryable: false });
    await until(() => sockets.size === 0);
  });

  it('throws what a delta handler throws, as that is a defect of the caller', async () => {
    const { baseURL } = await serve((response) => stream(response, [chunk({ content: 'Once' }), done]));
    const call = generate(baseURL, {
      onDelta() {
        throw new RangeError('my own');
      },
    });
    await expect(call).rejects.toThrow('my own');
  });
});

describe('the options', () => {
  it.each(['', 'api.openai.com/v1', 'ftp://x/v1'])('refuse the base URL "%s"', (baseURL) => {
    expect(() => createOpenAIChat({ baseURL, apiKey: null })).toThrow(/is no http\(s\) address/);
  });

  it('refuse a key that HTTP cannot carry, without showing it', () => {
    const create = () => createOpenAIChat({ baseURL: 'http://x/v1', apiKey: 'sk-1\nsk-2' });
    expect(create).toThrow('"API key" holds a line break');
    expect(create).not.toThrow('sk-1');
  });
});
