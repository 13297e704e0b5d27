import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serve } from '../../support/loopback.ts';
import { fixture } from '../../support/recordings.ts';
import { generate, message, response } from './support.ts';

interface WholeAnswer {
  wire: string;
  body: { model: string };
  expected: {
    text: string;
    reasoning: string;
    toolCalls: unknown[];
    finishReason: string;
    usageRaw: {
      input_tokens: number;
      output_tokens: number;
      input_tokens_details: { cached_tokens: number };
    };
  };
}

const folder = new URL('../../../fixtures/nonstream/', import.meta.url);
const files = globSync('*.json', { cwd: folder })
  .map((name) => ({ name: basename(name, '.json'), ...fixture<WholeAnswer>(`nonstream/${name}`) }))
  .filter(({ wire }) => wire === 'openai-responses');

function serveJson(body: unknown) {
  return serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

describe('whole answers', () => {
  it('are all there', () => expect(files).toHaveLength(10));

  it.each(
    files.flatMap((file) => [
      { ...file, stream: true },
      { ...file, stream: false },
    ]),
  )('reads $name when a stream was asked for: $stream', async ({ body, expected, stream }) => {
    const { baseURL } = await serveJson(body);
    const { answer, deltas } = await generate(baseURL, { request: { stream } });
    const { usageRaw, ...rest } = expected;
    expect(answer).toMatchObject({ ...rest, model: body.model, refusal: '', error: null });
    expect(answer.usage).toMatchObject({
      inputTokens: usageRaw.input_tokens,
      outputTokens: usageRaw.output_tokens,
      cachedInputTokens: usageRaw.input_tokens_details.cached_tokens,
    });
    const text = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
    expect(text).toBe(expected.text);
  });

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
