import { describe, expect, it } from 'vitest';
import { serve } from '../../support/loopback.ts';
import { generate, message, response } from './support.ts';

function serveJson(body: unknown) {
  return serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

describe('whole answers', () => {
  it('fail when the response did, and keep what it has', async () => {
    const error = { code: 'rate_limit_exceeded', message: 'Slow down.' };
    const { baseURL } = await serveJson(response({ status: 'failed', error, output: [message('Once')] }));
    expect((await generate(baseURL)).answer).toMatchObject({
      text: 'Once',
      finishReason: 'failed',
      error: { kind: 'rate_limit', retryable: true, providerCode: 'rate_limit_exceeded' },
    });
  });

  it('fail when the server is still at it', async () => {
    const { baseURL } = await serveJson(response({ status: 'queued' }));
    expect((await generate(baseURL)).answer.error).toMatchObject({ kind: 'network', retryable: true });
  });

  it.each([
    [{ error: { message: 'No.', type: 'invalid_request_error' } }, 'bad_request'],
    [[{ error: { code: 429, message: 'Quota.' } }], 'rate_limit'],
    ['{"choices":[{"message":{"content":"Hi"}}]}', 'malformed'],
    ['<html><title>Login</title></html>', 'malformed'],
    ['{"id":', 'malformed'],
  ])('are refused that are none: %j', async (body, kind) => {
    const { baseURL } = await serveJson(body);
    expect((await generate(baseURL)).answer.error).toMatchObject({ kind });
  });
});
