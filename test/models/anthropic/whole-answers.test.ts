import { describe, expect, it } from 'vitest';
import { serve } from '../support/loopback.ts';
import { wholeAnswers } from '../support/whole-answers.ts';
import { generate } from './support.ts';

const files = wholeAnswers().filter(({ wire }) => wire === 'anthropic-messages');

function serveJson(body: unknown, status = 200) {
  return serve((response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
}

describe('whole answers', () => {
  it('counts the thoughts of an answer that does', async () => {
    const { body } = files.find(({ name }) => name.includes('reasoning-high')) ?? { body: null };
    const { answer } = await generate((await serveJson(body)).baseURL);
    expect(answer.usage?.reasoningTokens).toBe(139);
  });

  it.each([
    ['an error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    ['something else', { hello: 'world' }, 'malformed'],
    ['a list', [], 'malformed'],
  ])('fails with %s in a 200', async (_, body, kind) => {
    const { answer } = await generate((await serveJson(body)).baseURL);
    expect(answer.error?.kind).toBe(kind);
  });
});
