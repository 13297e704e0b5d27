import { describe, expect, it } from 'vitest';
import { createDemoModel } from '../../../src/models/demo/index.ts';
import type { ModelDelta } from '../../../src/protocol/content.ts';
import type { ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { ask, toolSpecs, user } from './support.ts';

const greeting: ModelRequest = { model: 'demo', messages: [user('hello 👋, 你好')], tools: toolSpecs() };

function options(signal: AbortSignal, onDelta: (delta: ModelDelta) => void = () => {}) {
  return { signal, idempotencyKey: 'run:1', onDelta };
}

describe('demo streaming', () => {
  it('hands out the whole answer in order, words before calls', async () => {
    const deltas: ModelDelta[] = [];
    const answer = await ask([user('what is 2+3')], { onDelta: (delta) => deltas.push(delta) });
    const words = deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : []));
    expect(words.join('')).toBe(answer.text);
    expect(words.length).toBeGreaterThan(2);
    expect(deltas.at(-1)).toEqual({
      type: 'toolCall',
      index: 0,
      id: answer.toolCalls[0]?.id,
      name: 'calculator',
      argumentsDelta: '{"expression":"2+3"}',
    });
  });

  it('is deterministic', async () => {
    expect(await ask([user('现在几点 and 2+3')])).toEqual(await ask([user('现在几点 and 2+3')]));
  });

  it('answers as the model it was asked for, with estimated usage', async () => {
    const { model, usage, finish, finishReason, error } = await ask([user('hello')]);
    expect(model).toBe('demo');
    expect([finish, finishReason, error]).toEqual(['stop', 'stop', null]);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });

  it('waits between pieces, so that a person sees it stream', async () => {
    let pieces = 0;
    const { signal } = new AbortController();
    const model = createDemoModel({ pieceDelayMs: 1 });
    const answering = model.generate(
      greeting,
      options(signal, () => pieces++),
    );
    expect(pieces).toBe(1);
    expect((await answering).error).toBeNull();
    expect(pieces).toBeGreaterThan(3);
    expect(pieces).toBeLessThanOrEqual(12);
  });
});

describe('demo abort', () => {
  it('says nothing when aborted before the start', async () => {
    const deltas: ModelDelta[] = [];
    const answer = await createDemoModel().generate(
      greeting,
      options(AbortSignal.abort(), (d) => deltas.push(d)),
    );
    expect(deltas).toEqual([]);
    expect(answer).toMatchObject({ text: '', toolCalls: [], finish: 'unknown', finishReason: null });
    expect(answer.error).toMatchObject({ kind: 'aborted', retryable: false });
  });

  it('wakes from its wait and keeps what was streamed', async () => {
    const controller = new AbortController();
    const deltas: ModelDelta[] = [];
    const answering = createDemoModel({ pieceDelayMs: 3_600_000 }).generate(
      greeting,
      options(controller.signal, (delta) => deltas.push(delta)),
    );
    controller.abort();
    const answer = await answering;
    expect(answer.error?.kind).toBe('aborted');
    expect(deltas).toEqual([{ type: 'text', text: answer.text }]);
  });

  it('starts no call after an abort in the middle of its words', async () => {
    const controller = new AbortController();
    const answer = await createDemoModel({ pieceDelayMs: 0 }).generate(
      { ...greeting, messages: [user('what is 2+3')] },
      options(controller.signal, () => controller.abort()),
    );
    expect(answer.error?.kind).toBe('aborted');
    expect(answer.toolCalls).toEqual([]);
  });
});
