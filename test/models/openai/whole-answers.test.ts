import { describe, expect, it } from 'vitest';
import { serve } from '../support/loopback.ts';
import { wholeAnswers } from '../support/whole-answers.ts';
import { generate } from './support.ts';

const files = wholeAnswers();

function serveJson(body: unknown, status = 200) {
  return serve((response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
}

describe('whole answers to a streaming request', () => {
  it.each(files.filter(({ wire }) => wire === 'error'))(
    'fails with $name in a 200',
    async ({ body, expected }) => {
      const { baseURL } = await serveJson(body);
      const { answer } = await generate(baseURL);
      expect(answer.error).toMatchObject({
        kind: 'bad_request',
        code: 'MODEL_BAD_REQUEST',
        retryable: false,
      });
      expect(answer.error?.message).toContain(expected.error?.message);
    },
  );

  it('reads one that comes as an event stream by its content type', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`\n  ${body}`);
    });
    expect((await generate(baseURL)).answer).toMatchObject({ text: 'Hi', model: 'a-model', error: null });
  });

  it('reads an event stream that comes as JSON by its content type', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n');
    });
    expect((await generate(baseURL)).answer).toMatchObject({ text: 'Hi', error: null });
  });

  it('fails with a list around the error, as Gemini sends it', async () => {
    const { baseURL } = await serveJson([
      { error: { code: 429, message: 'Quota.', status: 'RESOURCE_EXHAUSTED' } },
    ]);
    expect((await generate(baseURL)).answer.error).toMatchObject({ kind: 'rate_limit', status: 429 });
  });

  it('calls one without choices malformed', async () => {
    const { baseURL } = await serve((response) => response.end('{"choices":[]}'));
    expect((await generate(baseURL)).answer.error).toMatchObject({ kind: 'malformed', retryable: false });
  });

  it('calls one that breaks off a network failure', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"choices":[{"message":{"content":"Hel', () => response.destroy());
    });
    expect((await generate(baseURL)).answer.error).toMatchObject({ kind: 'network', retryable: true });
  });
});
