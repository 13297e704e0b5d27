import { describe, expect, it } from 'vitest';
import { httpError, reportedError } from '../../../src/models/wire/http-error.ts';
import type { HttpHeaders } from '../../../src/models/wire/retry-after.ts';
import { generate } from '../openai/support.ts';
import { serve } from '../support/loopback.ts';

const origin = 'https://provider.test';
const now = Date.parse('2026-11-21T12:00:00Z');

function errorOf(status: number, body: unknown = '', headers: HttpHeaders = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return httpError({ status, headers, body: text, origin }, now);
}

describe('HTTP errors', () => {
  it.each([
    [401, 'auth', false],
    [402, 'rate_limit', false],
    [403, 'permission', false],
    [404, 'not_found', false],
    [405, 'bad_request', false],
    [408, 'timeout', true],
    [409, 'server', true],
    [413, 'bad_request', false],
    [422, 'bad_request', false],
    [425, 'server', true],
    [429, 'rate_limit', true],
    [302, 'bad_request', false],
    [500, 'server', true],
    [502, 'server', true],
    [503, 'overloaded', true],
    [504, 'timeout', true],
    [520, 'server', true],
    [529, 'overloaded', true],
  ])('types %i without a body as %s', (status, kind, retryable) => {
    expect(errorOf(status)).toMatchObject({
      kind,
      code: `MODEL_${kind.toUpperCase()}`.replace(
        /MODEL_BAD_REQUEST/,
        status === 413 ? 'MODEL_CONTEXT_OVERFLOW' : 'MODEL_BAD_REQUEST',
      ),
      retryable,
      status,
    });
  });

  it.each([
    [
      'insufficient_quota',
      { error: { code: 'insufficient_quota', type: 'insufficient_quota', message: 'No quota' } },
    ],
    [
      'exceeded_current_quota_error',
      { error: { type: 'exceeded_current_quota_error', message: 'suspended' } },
    ],
    ['billing_not_active', { error: { code: 'billing_not_active', message: 'not active' } }],
  ])('does not retry a 429 for %s', (providerCode, body) => {
    expect(errorOf(429, body)).toMatchObject({ kind: 'rate_limit', retryable: false, providerCode });
  });

  it('does not retry an account without credit, which Anthropic calls a bad request', () => {
    const message = 'Your credit balance is too low to use this API.';
    expect(errorOf(400, { error: { type: 'invalid_request_error', message } })).toMatchObject({
      kind: 'rate_limit',
      retryable: false,
    });
  });

  it.each([
    'maximum context length is 1048565 tokens. However, you requested 1250025 tokens',
    'prompt too long; exceeded max context length by 1119046 tokens',
    'Your input exceeds the context window of this model.',
    'prompt is too long: 213462 tokens > 200000 maximum',
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Please reduce the length of the messages or completion.',
    'the request exceeds the available context size, try increasing it',
    'The number of tokens to keep from the initial prompt is greater than the context length.',
    'prompt token count of 130000 exceeds the limit of 128000',
    'invalid params, context window exceeds limit',
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
    'Prompt contains 70000 tokens, too large for model with 32768 maximum context length',
    'Range of input length should be [1, 129024]',
    'Prompt exceeds max length',
    'Input is too long for requested model.',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000',
  ])('sees a context overflow in: %s', (message) => {
    expect(errorOf(400, { error: { message } })).toMatchObject({
      kind: 'bad_request',
      code: 'MODEL_CONTEXT_OVERFLOW',
      retryable: false,
    });
  });

  it('sees a context overflow in the code, and in a fault that is none', () => {
    const code = 'context_length_exceeded';
    expect(errorOf(400, { error: { code, message: 'Too much.' } }).code).toBe('MODEL_CONTEXT_OVERFLOW');
    const message = 'the request exceeds the available context size';
    expect(errorOf(500, { error: { message, type: 'server_error' } })).toMatchObject({
      kind: 'bad_request',
      code: 'MODEL_CONTEXT_OVERFLOW',
      retryable: false,
    });
  });

  it.each([
    'max_tokens is too large: 999999. This model supports at most 16384 completion tokens.',
    "Invalid 'messages[0].content': string too long.",
  ])('sees no context overflow in: %s', (message) => {
    expect(errorOf(400, { error: { message } }).code).toBe('MODEL_BAD_REQUEST');
  });

  it('reads the shapes that providers use', () => {
    const messages = [
      [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'Overloaded'],
      [{ error: "model 'x' not found" }, "model 'x' not found"],
      [
        [{ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }],
        'API key not valid.',
      ],
      [{ success: false, errors: [{ code: 3040, message: 'Out of capacity' }] }, 'Out of capacity'],
      [{ Message: 'Too many tokens per day' }, 'Too many tokens per day'],
      [{ detail: 'Not authenticated' }, 'Not authenticated'],
      [{ detail: [{ loc: ['body', 'model'], msg: 'Field required' }] }, 'Field required'],
      [{ object: 'error', message: { detail: [{ msg: 'Extra inputs' }] }, type: 'x' }, 'Extra inputs'],
      [
        { error: { message: 'Provider returned error', metadata: { raw: 'upstream is down' } } },
        'upstream is down',
      ],
      ['<html><head><title>502 Bad Gateway</title></head></html>', 'a web page titled "502 Bad Gateway"'],
      ['upstream connect error\n\n  or disconnect', 'upstream connect error or disconnect'],
    ] as const;
    for (const [body, message] of messages) expect(errorOf(500, body).message).toContain(message);
  });

  it('types Anthropic errors by their own words when there is no status', () => {
    const kinds = {
      authentication_error: 'auth',
      permission_error: 'permission',
      not_found_error: 'not_found',
      rate_limit_error: 'rate_limit',
      overloaded_error: 'overloaded',
      api_error: 'server',
      timeout_error: 'timeout',
      invalid_request_error: 'bad_request',
      something_new: 'server',
    };
    for (const [type, kind] of Object.entries(kinds)) {
      const body = { type: 'error', error: { type, message: 'No.' } };
      expect(reportedError(body, origin)).toMatchObject({ kind, providerCode: type });
    }
  });

  it('tells a wrong key and an unknown model behind a 400', () => {
    const wrongKey = {
      error: { code: 400, message: 'API key not valid. Please pass one.', status: 'INVALID_ARGUMENT' },
    };
    expect(errorOf(400, [wrongKey])).toMatchObject({ kind: 'auth', providerCode: 'INVALID_ARGUMENT' });
    expect(errorOf(400, { code: 'x', error: 'Incorrect API key provided: xa***yz.' }).kind).toBe('auth');
    expect(errorOf(400, { error: { message: 'Model Not Exist', code: 'invalid_request_error' } }).kind).toBe(
      'not_found',
    );
    expect(errorOf(400, { type: 'invalid_model', message: 'Invalid model: x' }).kind).toBe('not_found');
  });

  it('reads Retry-After in milliseconds, seconds and as a date', () => {
    expect(errorOf(429, '', { 'retry-after': '7' }).retryAfterMs).toBe(7_000);
    expect(errorOf(429, '', { 'retry-after': '1.5' }).retryAfterMs).toBe(1_500);
    expect(errorOf(429, '', { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }).retryAfterMs).toBe(30_000);
    expect(errorOf(429, '', { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }).retryAfterMs).toBe(0);
    expect(errorOf(429, '', { 'retry-after': '9', 'retry-after-ms': '250' }).retryAfterMs).toBe(250);
    expect(errorOf(429, '', { 'retry-after': ['3', '4'] }).retryAfterMs).toBe(3_000);
    for (const bad of ['', 'soon', 'Infinity', '-5x']) {
      expect(errorOf(429, '', { 'retry-after': bad })).not.toHaveProperty('retryAfterMs');
    }
  });

  it('obeys x-should-retry', () => {
    expect(errorOf(429, '', { 'x-should-retry': 'false' }).retryable).toBe(false);
    expect(errorOf(400, '', { 'x-should-retry': 'true' }).retryable).toBe(true);
  });

  it('survives any JSON as a body', () => {
    const bodies = [
      null,
      1,
      [],
      [[]],
      {},
      { error: null },
      { error: [] },
      { error: { message: 1, code: {}, type: [] } },
    ];
    for (const body of bodies) expect(errorOf(500, body)).toMatchObject({ kind: 'server', status: 500 });
    expect(reportedError({ error: { code: '__proto__', type: 'constructor' } }, origin).kind).toBe('server');
  });

  it('caps what it reads and what it says', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      response.end('no '.repeat(1_000_000));
    });
    const { answer } = await generate(baseURL);
    expect(answer.error?.kind).toBe('server');
    expect(answer.error?.message.length).toBeLessThan(800);
  });

  it('keeps the status when the error body breaks off', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(401, { 'content-length': '100' });
      response.write('{"error"', () => response.destroy());
    });
    expect((await generate(baseURL)).answer.error).toMatchObject({ kind: 'auth', status: 401 });
  });

  it('does not follow a redirect, and says where it leads', async () => {
    const { baseURL, requests } = await serve((response) => {
      response.writeHead(307, { location: '/elsewhere?key=s3cret' });
      response.end();
    });
    const { error } = (await generate(baseURL)).answer;
    expect(error).toMatchObject({ kind: 'bad_request', status: 307 });
    expect(error?.message).toContain(` redirects to ${new URL('/elsewhere', baseURL).href} (307)`);
    expect(error?.message).not.toContain('s3cret');
    expect(requests).toHaveLength(1);
  });
});
