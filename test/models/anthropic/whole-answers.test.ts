import { describe, expect, it } from 'vitest';
import { serve } from '../support/loopback.ts';
import { sumOf } from '../support/recordings.ts';
import { wholeAnswers, wholeDifferences } from '../support/whole-answers.ts';
import { generate } from './support.ts';

const files = wholeAnswers().filter(({ wire }) => wire === 'anthropic-messages');

function serveJson(body: unknown, status = 200) {
  return serve((response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
}

describe('whole answers', () => {
  it('are all there', () => expect(files).toHaveLength(14));

  it.each(files)('reads $name, whether it asked for a stream or not', async (whole) => {
    const { baseURL, requests } = await serveJson(whole.body);
    for (const isStream of [true, false]) {
      const outcome = await generate(baseURL, { request: { stream: isStream } });
      expect(wholeDifferences(whole, outcome)).toEqual([]);
      const { text, reasoning, refusal, toolCalls } = outcome.answer;
      expect(sumOf(outcome.deltas)).toEqual({ text, reasoning, refusal, toolCalls });
    }
    expect(requests.map((request) => JSON.parse(request.body).stream)).toEqual([true, false]);
  });

  it('counts the thoughts of an answer that does', async () => {
    const { body } = files.find(({ name }) => name.includes('reasoning-high')) ?? { body: null };
    const { answer } = await generate((await serveJson(body)).baseURL);
    expect(answer.usage?.reasoningTokens).toBe(139);
  });

  it('waits longer for the first byte of one that was asked for', async () => {
    const { baseURL } = await serve((response) => {
      setTimeout(
        () => response.end(JSON.stringify({ type: 'message', content: [], stop_reason: 'end_turn' })),
        60,
      );
    });
    const timeouts = { firstByteTimeoutMs: 20, wholeTimeoutMs: 5_000 };
    expect((await generate(baseURL, timeouts)).answer.error?.kind).toBe('timeout');
    expect((await generate(baseURL, { ...timeouts, request: { stream: false } })).answer.error).toBeNull();
  });

  it.each([
    ['an error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    ['something else', { hello: 'world' }, 'malformed'],
    ['a list', [], 'malformed'],
  ])('fails with %s in a 200', async (_, body, kind) => {
    const { answer } = await generate((await serveJson(body)).baseURL);
    expect(answer.error?.kind).toBe(kind);
  });

  it('asks to check the base URL when a web page answers', async () => {
    const { baseURL } = await serve((response) => response.end('<!doctype html><title>Hi</title>'));
    const { answer } = await generate(baseURL);
    expect(answer.error).toMatchObject({ kind: 'malformed', retryable: false });
    expect(answer.error?.message).toContain('Check the base URL');
  });
});
