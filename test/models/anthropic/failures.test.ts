import { describe, expect, it } from 'vitest';
import { serve, stream } from '../support/loopback.ts';
import { block, callBlock, event, generate, messageStart, read, textBlock } from './support.ts';

/** The beginning of an incomplete answer. */
const once = messageStart() + (textBlock(0, 'Once').split('event: content_block_stop')[0] ?? '');

function errorBody(type: string, message: string) {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });
}

describe('a refused call', () => {
  it.each([
    [
      400,
      'invalid_request_error',
      'messages.0: bad',
      { kind: 'bad_request', code: 'MODEL_BAD_REQUEST', retryable: false },
    ],
    [
      400,
      'invalid_request_error',
      'prompt is too long: 208310 tokens > 200000 maximum',
      { kind: 'bad_request', code: 'MODEL_CONTEXT_OVERFLOW', retryable: false },
    ],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
      { code: 'MODEL_CONTEXT_OVERFLOW', retryable: false },
    ],
    [
      401,
      'authentication_error',
      'invalid bearer token',
      { kind: 'auth', code: 'MODEL_AUTH', retryable: false },
    ],
    [402, 'billing_error', 'no credit', { kind: 'rate_limit', retryable: false }],
    [403, 'permission_error', 'not yours', { kind: 'permission', retryable: false }],
    [404, 'not_found_error', 'model: claude-sonet-4-5', { kind: 'not_found', retryable: false }],
    [
      413,
      'request_too_large',
      'Request exceeds the maximum size',
      { code: 'MODEL_CONTEXT_OVERFLOW', retryable: false },
    ],
    [429, 'rate_limit_error', 'slow down', { kind: 'rate_limit', retryable: true, retryAfterMs: 7_000 }],
    [500, 'api_error', 'Internal server error', { kind: 'server', retryable: true }],
    [504, 'timeout_error', 'timed out', { kind: 'timeout', retryable: true }],
    [
      529,
      'overloaded_error',
      'Overloaded',
      { kind: 'overloaded', code: 'MODEL_OVERLOADED', retryable: true },
    ],
  ])('is told apart by status and words: %i %s', async (status, type, message, expected) => {
    const { baseURL, requests } = await serve((response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end(errorBody(type, message));
    });
    const { answer } = await generate(baseURL);
    expect(answer.error).toMatchObject({ ...expected, status, providerCode: type });
    expect(answer.error?.message).toContain(message);
    // Attempts are states of the run, not of the client.
    expect(requests).toHaveLength(1);
  });
});

describe('a failing answer', () => {
  it.each([
    ['overloaded_error', 'overloaded', true],
    ['api_error', 'server', true],
    ['rate_limit_error', 'rate_limit', true],
    ['invalid_request_error', 'bad_request', false],
  ])('fails with %s in the middle, and keeps what had come', async (type, kind, retryable) => {
    const report = event({ type: 'error', error: { type, message: 'Sorry' } });
    const { baseURL } = await serve((response) => stream(response, [once, report, textBlock(1, 'more')]));
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({
      text: 'Once',
      finishReason: null,
      error: { kind, retryable, providerCode: type },
    });
    expect(answer.error?.message).toContain('Sorry');
  });

  it('fails with an error that comes before everything', () => {
    const { answer } = read([
      event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    ]);
    expect(answer).toMatchObject({ text: '', usage: null, error: { kind: 'overloaded' } });
  });

  it.each([
    ['nothing', []],
    ['pings', [event({ type: 'ping' })]],
    ['a start', [messageStart()]],
    ['text without an end', [once]],
    ['half an event', [once, 'event: content_block_delta\ndata: {"type']],
    ['whole blocks without an end', [messageStart(), textBlock(0, 'Once'), callBlock(1, 't', 'add')]],
  ])('is cut off when %s came', async (_, pieces) => {
    const { baseURL } = await serve((response) => stream(response, pieces));
    expect((await generate(baseURL)).answer.error).toMatchObject({ kind: 'network', retryable: true });
  });

  it('keeps what had come when the connection drops', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200);
      response.write(once, () => response.socket?.resetAndDestroy());
    });
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({ text: 'Once', error: { kind: 'network', retryable: true } });
    // The output in the first event is a placeholder, so it counts as not reported.
    expect(answer.usage).toMatchObject({ inputTokens: 10, outputTokens: 0 });
    expect(answer.began).toBe(true);
  });

  it.each([
    ['text', { type: 'text_delta', text: 'x'.repeat(1_000) }],
    ['arguments', { type: 'input_json_delta', partial_json: 'x'.repeat(1_000) }],
    ['citations', { type: 'citations_delta', citation: { cited_text: 'x'.repeat(1_000) } }],
    ['something to come', { type: 'delta_to_come', words: 'x'.repeat(1_000) }],
  ])('is given up with too much %s', (_, delta) => {
    const start = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    const more = event({ type: 'content_block_delta', index: 0, delta });
    const pieces = [messageStart(), start, ...Array<string>(200).fill(more)];
    expect(() => read(pieces, 100_000)).toThrow('sent more than 100000 characters');
  });

  it('is given up with too many blocks', () => {
    const blocks = Array.from({ length: 200 }, (_, i) =>
      block(i, { type: 'result', content: 'x'.repeat(1_000) }),
    );
    expect(() => read([messageStart(), ...blocks], 100_000)).toThrow('sent more than 100000 characters');
  });
});
