import { describe, expect, it } from 'vitest';
import { createOpenAIChat } from '../../../src/models/openai/chat.ts';
import { freePort } from '../../support/listening.ts';
import { serve, stream } from '../support/loopback.ts';
import { chunk, done, event, generate, read } from './support.ts';

const never = () => {};

/** Waits until `condition` holds; fails by the test's own time-out. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
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

  it('gives up on a server that sends a head and nothing else', async () => {
    const { baseURL } = await serve((response) => response.writeHead(200).flushHeaders());
    const { answer } = await generate(baseURL, { firstByteTimeoutMs: 40, idleTimeoutMs: 10_000 });
    expect(answer.error?.kind).toBe('timeout');
  });

  it('has patience with a slow stream that goes on', async () => {
    const { baseURL } = await serve(async (response) => {
      response.writeHead(200);
      for (const word of ['Once', ' upon', ' a', ' time']) {
        response.write(chunk({ content: word }));
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      response.end(done);
    });
    const { answer } = await generate(baseURL, { idleTimeoutMs: 1_500, firstByteTimeoutMs: 20_000 });
    expect(answer).toMatchObject({ text: 'Once upon a time', error: null });
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

  it.each([
    ['a giant answer', { content: 'x'.repeat(1_000) }],
    ['giant arguments', { tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(1_000) } }] }],
    ['giant details', { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x'.repeat(1_000) }] }],
  ])('gives up on %s', (_, delta) => {
    const maxChars = 100_000;
    const pieces = Array<string>(200).fill(chunk(delta));
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
});
