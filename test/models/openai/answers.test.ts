import { describe, expect, it } from 'vitest';
import { callChunks, chunk, done, event, read } from './support.ts';

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

describe('text', () => {
  it('ends with content_filter as the provider said', () => {
    const { answer } = read([chunk({ content: 'Once' }), chunk({}, { finish: 'content_filter' }), done]);
    expect(answer).toMatchObject({
      text: 'Once',
      finishReason: 'content_filter',
      finish: 'contentFilter',
      error: null,
    });
  });

  it('keeps <think> tags where the server put them', () => {
    const text = '<think>\nHm, "2+2".\n</think>\n\n4';
    const { answer } = read(
      [...text].map((content) => chunk({ content })).concat(chunk({}, { finish: 'stop' })),
    );
    expect(answer).toMatchObject({ text, reasoning: '' });
  });

  it('collects a refusal and says so, although OpenAI finishes it with stop', () => {
    const { answer, deltas } = read([
      chunk({ role: 'assistant', refusal: '' }),
      chunk({ refusal: "I'm sorry, " }),
      chunk({ refusal: 'no.' }),
      chunk({}, { finish: 'stop' }),
      done,
    ]);
    expect(answer).toMatchObject({
      text: '',
      refusal: "I'm sorry, no.",
      finishReason: 'stop',
      finish: 'refusal',
    });
    expect(deltas).toEqual([
      { type: 'refusal', text: "I'm sorry, " },
      { type: 'refusal', text: 'no.' },
    ]);
  });

  it('reads content in parts', () => {
    const { answer, deltas } = read([
      chunk({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }, 1, null] },
          { type: 'thinking', thinking: '.' },
          { type: 'text', text: 'Yes' },
          { type: 'reference', reference_ids: [1] },
          '!',
          { type: 'refusal', refusal: 'No' },
          null,
          7,
        ],
      }),
      done,
    ]);
    expect(answer).toMatchObject({ text: 'Yes!', reasoning: 'Hm.', refusal: 'No' });
    expect(deltas.map((delta) => delta.type)).toEqual(['reasoning', 'reasoning', 'text', 'text', 'refusal']);
  });

  it('reads the first choice only', () => {
    const choices = [1, 0].map((index) => ({ index, delta: { content: `choice ${index}` } }));
    expect(read([event({ choices }), done]).answer.text).toBe('choice 0');
  });

  it('does not read the message that Perplexity repeats beside each delta', () => {
    const choices = [
      { index: 0, delta: { content: '' }, message: { role: 'assistant', content: 'All of it' } },
    ];
    expect(read([chunk({ content: 'All of it' }), event({ choices }), done]).answer.text).toBe('All of it');
  });

  it('takes the first model named, and the requested one when none is', () => {
    const named = [event({ model: '', choices: [] }), chunk({ content: 'x' }, { model: 'real' }), done];
    expect(read(named).answer.model).toBe('real');
    expect(read([event({ choices: [{ delta: { content: 'x' } }] }), done]).answer.model).toBe('a-model');
  });
});

describe('the end', () => {
  it.each([
    ['stop', 'stop'],
    ['STOP', 'stop'],
    ['eos', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['tool_calls', 'toolCalls'],
    ['function_call', 'toolCalls'],
    ['sensitive', 'contentFilter'],
    ['something_new', 'unknown'],
  ])('maps %s to %s', (finish, kind) => {
    expect(read([chunk({}, { finish }), done]).answer).toMatchObject({ finishReason: finish, finish: kind });
  });

  it('says toolCalls when calls came, although the server says stop', () => {
    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } };
    const { answer } = read([callChunks(call), chunk({}, { finish: 'stop' }), done]);
    expect(answer).toMatchObject({ finishReason: 'stop', finish: 'toolCalls' });
  });

  it('is unknown when [DONE] comes without a reason', () => {
    expect(read([chunk({ content: '4' }), done]).answer).toMatchObject({
      text: '4',
      finishReason: null,
      finish: 'unknown',
      error: null,
    });
  });

  it('needs no [DONE] after a reason', () => {
    expect(read([chunk({ content: '4' }, { finish: 'stop' })]).answer).toMatchObject({
      text: '4',
      error: null,
    });
  });

  it('ignores an empty reason and what comes after [DONE]', () => {
    const { answer } = read([chunk({ content: 'a' }, { finish: '' }) + done + chunk({ content: 'b' })]);
    expect(answer).toMatchObject({ text: 'a', finishReason: null });
  });
});

describe('usage', () => {
  it('takes the last that came', () => {
    const { answer } = read([
      chunk({ content: 'a' }, { usage: { ...usage, completion_tokens: 1 } }),
      chunk({}, { usage, finish: 'stop' }),
      chunk({}, { usage: null }),
      chunk({}, { usage: {} }),
      done,
    ]);
    expect(answer.usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cachedInputTokens: 0,
      reasoningTokens: 0,
    });
  });

  it.each([
    ['under x_groq', { x_groq: { usage } }],
    ['under the choice', { choices: [{ delta: {}, usage: { ...usage, cached_tokens: 7 } }] }],
    ['at the top with DeepSeek cache hits', { usage: { ...usage, prompt_cache_hit_tokens: 7 } }],
  ])('finds it %s', (_, fields) => {
    expect(read([event(fields), done]).answer.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it.each([
    ['in the details', { prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 4 } }],
    ['at the top', { prompt_tokens_details: { cached_tokens: 3 }, cache_creation_input_tokens: 4 }],
  ])('counts what was written to the cache: %s', (_, fields) => {
    expect(read([event({ usage: { ...usage, ...fields } }), done]).answer.usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cachedInputTokens: 3,
      cacheWriteInputTokens: 4,
      reasoningTokens: 0,
    });
  });

  it('reads what is no count as 0', () => {
    const odd = {
      prompt_tokens: 3,
      completion_tokens: '5',
      prompt_tokens_details: [],
      completion_tokens_details: 'x',
    };
    const { answer } = read([event({ usage: odd }), done]);
    expect(answer.usage).toEqual({
      inputTokens: 3,
      outputTokens: 0,
      cachedInputTokens: 0,
      reasoningTokens: 0,
    });
    expect(read([event({ usage: 'many' }), done]).answer.usage).toBeNull();
  });
});

describe('reasoning', () => {
  it.each(['reasoning_content', 'reasoning', 'reasoning_text'])('is read from %s', (field) => {
    const { answer, deltas } = read([chunk({ [field]: 'Hm' }), chunk({ [field]: null, content: '4' }), done]);
    expect(answer).toMatchObject({ reasoning: 'Hm', text: '4' });
    expect(deltas[0]).toEqual({ type: 'reasoning', text: 'Hm' });
  });

  it('is read once when several fields carry it', () => {
    const detail = { type: 'reasoning.text', text: 'Hm', index: 0 };
    const delta = { reasoning: 'Hm', reasoning_content: 'Hm', reasoning_details: [detail] };
    expect(read([chunk(delta), chunk(delta), done]).answer.reasoning).toBe('HmHm');
  });

  it('is read from the details when nothing else carries it', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm', index: 0 },
      { type: 'reasoning.summary', summary: ' So.', index: 1 },
      { type: 'reasoning.encrypted', data: 'xyz', index: 2 },
    ];
    const { answer } = read([chunk({ reasoning_details: details }), done]);
    expect(answer.reasoning).toBe('Hm So.');
    expect(answer.providerData).toEqual({ reasoning_details: details });
  });

  it('is not read again from details that come at the end', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 's', index: 0 }];
    const { answer } = read([
      chunk({ reasoning: 'Hm' }),
      chunk({ reasoning: '.' }),
      chunk({ reasoning_details: details }),
      done,
    ]);
    expect(answer).toMatchObject({ reasoning: 'Hm.', providerData: { reasoning_details: details } });
  });

  it('keeps details of different blocks apart', () => {
    const details = [
      { type: 'reasoning.text', text: 'a', index: 0 },
      { type: 'reasoning.text', text: 'b', index: 1 },
      { type: 'reasoning.encrypted', data: 'x', index: 1 },
      { type: 'reasoning.encrypted', data: 'y', index: 1 },
      { type: 'reasoning.summary', summary: 'c', id: 'one' },
      { type: 'reasoning.summary', summary: 'd', id: 'two' },
    ];
    const { answer } = read([...details.map((detail) => chunk({ reasoning_details: [detail] })), done]);
    expect(answer.providerData).toEqual({ reasoning_details: details });
  });

  it('leaves no provider data when there is nothing to give back', () => {
    expect(read([chunk({ reasoning: 'Hm', content: '4' }), done]).answer).not.toHaveProperty('providerData');
  });
});

describe('events', () => {
  it('may be keep-alives of any kind', () => {
    const noise = [
      ': ping\n\n',
      'event: ping\ndata: now\n\n',
      'data:\n\n',
      'data: 7\n\n',
      'data: null\n\n',
      'data: []\n\n',
    ];
    const { answer } = read([
      ...noise,
      chunk({ content: 'a' }),
      ...noise,
      chunk({}, { finish: 'stop' }),
      ...noise,
    ]);
    expect(answer).toMatchObject({ text: 'a', error: null });
  });

  it('may begin with byte order marks and blank lines, cut anywhere', () => {
    const bytes = Buffer.from(`\ufeff\r\n${chunk({ content: 'a' })}${done}`);
    expect(read(Array.from(bytes, (byte) => Uint8Array.of(byte))).answer).toMatchObject({
      text: 'a',
      error: null,
    });
  });

  it('may span several data lines and name other types', () => {
    const lines =
      'event: completion\ndata: {"choices":[{"delta":\ndata: {"content":"a"},"finish_reason":"stop"}]}\n\n';
    expect(read([lines]).answer).toMatchObject({ text: 'a', error: null });
  });
});
