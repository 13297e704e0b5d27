import { describe, expect, it } from 'vitest';
import { generate } from '../support/generate.ts';
import { serve } from '../support/loopback.ts';

const completion = JSON.stringify({
  model: 'a-model',
  choices: [{ message: { content: 'Hello there' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});

describe('a request for a whole answer', () => {
  it('asks for no stream, and tells the answer in one piece', async () => {
    const { baseURL, requests } = await serve((response) => response.end(completion));
    const { answer, deltas } = await generate(baseURL, { request: { stream: false } });
    const body = JSON.parse(requests[0]?.body ?? '');
    expect(body.stream).toBe(false);
    expect(body).not.toHaveProperty('stream_options');
    expect(answer).toMatchObject({ text: 'Hello there', error: null, usage: { inputTokens: 3 } });
    expect(deltas).toEqual([{ type: 'text', text: 'Hello there' }]);
  });

  it('has more patience: its first byte comes when everything is written', async () => {
    const { baseURL } = await serve((response) => setTimeout(() => response.end(completion), 200));
    const impatient = { firstByteTimeoutMs: 40, wholeTimeoutMs: 20_000 };
    expect((await generate(baseURL, impatient)).answer.error?.kind).toBe('timeout');
    const whole = await generate(baseURL, { ...impatient, request: { stream: false } });
    expect(whole.answer).toMatchObject({ text: 'Hello there', error: null });
  });

  it('gives up in the end', async () => {
    const { baseURL } = await serve(() => {});
    const { answer } = await generate(baseURL, { wholeTimeoutMs: 40, request: { stream: false } });
    expect(answer.error).toMatchObject({ kind: 'timeout', retryable: true });
  });
});
