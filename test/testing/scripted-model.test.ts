import { describe, expect, it } from 'vitest';
import type { ModelDelta } from '../../src/protocol/content.ts';
import type { GenerateOptions, ModelRequest } from '../../src/protocol/ports/chat-model.ts';
import { ruleModel, scriptedModel } from '../../src/testing/index.ts';

const request: ModelRequest = { model: 'm', messages: [{ role: 'user', text: 'hi' }], tools: [] };

function options(deltas: ModelDelta[] = [], signal = new AbortController().signal): GenerateOptions {
  return { signal, idempotencyKey: 'run:1', onDelta: (delta) => deltas.push(delta) };
}

describe('the scripted model', () => {
  it('says its lines in order, with all that they leave out as usual', async () => {
    const model = scriptedModel([
      { text: 'one' },
      { toolCalls: [{ name: 'look', arguments: { at: 'it' } }] },
    ]);
    expect(await model.generate(request, options())).toEqual({
      model: 'm',
      text: 'one',
      reasoning: '',
      refusal: '',
      toolCalls: [],
      finish: 'stop',
      finishReason: 'stop',
      usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 0 },
      error: null,
    });
    expect(await model.generate(request, options())).toMatchObject({
      toolCalls: [{ id: 'call_0', name: 'look', arguments: '{"at":"it"}' }],
      finish: 'toolCalls',
      finishReason: 'tool_calls',
    });
    model.assertComplete();
  });

  it('says a value as JSON, for runs with an output schema', async () => {
    const model = scriptedModel([{ output: { a: [1] } }]);
    expect(await model.generate(request, options())).toMatchObject({ text: '{"a":[1]}', finish: 'stop' });
  });

  it('makes an answer from what it is asked', async () => {
    const model = scriptedModel([async ({ messages }) => ({ text: `you said ${messages[0]?.text}` })]);
    expect(await model.generate(request, options())).toMatchObject({ text: 'you said hi' });
  });

  it('keeps what it was asked, as it was', async () => {
    const messages = [{ role: 'user' as const, text: 'hi' }];
    const model = scriptedModel([{ text: 'one' }]);
    await model.generate({ ...request, messages }, options());
    messages.push({ role: 'user', text: 'later' });
    expect(model.requests).toEqual([request]);
  });

  it('streams its words, reasoning first', async () => {
    const deltas: ModelDelta[] = [];
    await scriptedModel([{ text: 'so', reasoning: 'hm' }]).generate(request, options(deltas));
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'so' },
    ]);
  });

  it('takes odd arguments as they are', async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: 'look', arguments: 'not json', id: '' }, { name: 'look' }] },
    ]);
    const { toolCalls } = await model.generate(request, options());
    expect(toolCalls).toEqual([
      { id: '', name: 'look', arguments: 'not json' },
      { id: 'call_1', name: 'look', arguments: '{}' },
    ]);
  });

  it('fails a call with what had been said', async () => {
    const model = scriptedModel([{ text: 'half', error: { retryable: true } }]);
    expect(await model.generate(request, options())).toMatchObject({
      text: 'half',
      error: { kind: 'bad_request', code: 'MODEL_BAD_REQUEST', retryable: true, message: 'scripted failure' },
    });
  });

  it('gives an aborted call no answer', async () => {
    const model = scriptedModel([{ text: 'late' }]);
    const answer = await model.generate(request, options([], AbortSignal.abort()));
    expect(answer.error).toMatchObject({ kind: 'aborted' });
  });

  it('fails a call beyond its script, and then says what is wrong', async () => {
    const model = scriptedModel([{ text: 'one' }]);
    await model.generate(request, options());
    expect(await model.generate(request, options())).toMatchObject({
      error: { retryable: false, message: expect.stringContaining('1 lines') },
    });
    expect(() => model.assertComplete()).toThrow(expect.objectContaining({ code: 'SCRIPT_INCOMPLETE' }));
  });

  it('says so when lines are left', () => {
    expect(() => scriptedModel([{ text: 'one' }]).assertComplete()).toThrow(/1 lines, and 0 were asked for/);
  });
});

describe('a model that follows rules', () => {
  it('answers each request by its function, in pieces that are the whole text', async () => {
    const model = ruleModel(({ messages }) => ({ text: `You said ${messages[0]?.text}, and I say hello.` }), {
      pieceMs: 1,
    });
    const deltas: ModelDelta[] = [];
    const { text } = await model.generate(request, options(deltas));
    expect(text).toBe('You said hi, and I say hello.');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')).toBe(text);
  });

  it('ends an answer that is aborted', async () => {
    const stop = new AbortController();
    const model = ruleModel(() => ({ text: 'long '.repeat(50) }), { pieceMs: 1 });
    const onDelta = () => stop.abort();
    const { error } = await model.generate(request, { ...options([], stop.signal), onDelta });
    expect(error).toMatchObject({ kind: 'aborted' });
  });
});
