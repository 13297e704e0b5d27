import { describe, expect, it } from 'vitest';
import { sumOf } from '../../support/recordings.ts';
import {
  added,
  argumentsDelta,
  completed,
  created,
  done,
  event,
  functionCall,
  message,
  read,
  reasoning,
  response,
  streamed,
  textDelta,
} from './support.ts';

const usage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 20 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 39,
};

describe('text', () => {
  it('is put together by item and part, in order of arrival', () => {
    const first = message('Got it.', { id: 'msg_1', phase: 'commentary' });
    const second = message('Done.', { id: 'msg_2', phase: 'final_answer' });
    const { answer, deltas } = read([
      created,
      streamed(0, first, 'Got', ' it.'),
      streamed(1, second, 'Done.'),
      completed([first, second], { usage }),
    ]);
    expect(answer).toMatchObject({
      model: 'real-model',
      text: 'Got it.Done.',
      finishReason: 'completed',
      finish: 'stop',
      usage: { inputTokens: 30, cachedInputTokens: 20, outputTokens: 9, reasoningTokens: 4 },
      error: null,
    });
    expect(deltas.map((delta) => 'text' in delta && delta.text)).toEqual(['Got', ' it.', 'Done.']);
  });

  it.each([
    [
      'the end of the part',
      event('response.output_text.done', { output_index: 0, content_index: 0, text: 'Hi' }) + completed(),
    ],
    [
      'the part',
      event('response.content_part.done', {
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: 'Hi' },
      }) + completed(),
    ],
    ['the item', done(0, message('Hi')) + completed()],
    ['the announced item', added(0, message('Hi')) + completed()],
    ['the response', completed([message('Hi')])],
    [
      'all of them',
      streamed(0, message('Hi'), 'H', 'i') +
        event('response.output_text.done', { output_index: 0, text: 'Hi' }) +
        completed([message('Hi')]),
    ],
    ['an item whose content is a string', completed([message('', { content: 'Hi' })])],
  ])('is told once when it comes with %s', (_, events) => {
    const { answer, deltas } = read([created, events]);
    expect(answer).toMatchObject({ text: 'Hi', error: null });
    expect(deltas.map((delta) => 'text' in delta && delta.text).join('')).toBe('Hi');
  });

  it('of several parts is put together when it comes whole', () => {
    const parts = ['One. ', 'Two.'].map((text) => ({ type: 'output_text', text }));
    expect(read([completed([message('', { content: parts })])]).answer.text).toBe('One. Two.');
  });

  it.each([
    ['another id in every event', { a: 'x1', b: 'x2', c: 'x3' }],
    ['no ids', { a: '', b: '', c: '' }],
  ])('is told once with %s', (_, { a, b, c }) => {
    const { answer } = read([
      added(0, message('', { id: a, content: [] })),
      textDelta(0, 'Hel', { item_id: b }),
      textDelta(0, 'lo', { item_id: c }),
      done(0, message('Hello', { id: b })),
      completed([message('Hello', { id: 'another' })]),
    ]);
    expect(answer.text).toBe('Hello');
  });

  it('is told once when every index is 0', () => {
    const [a, b] = [message('One.', { id: 'm1' }), message('Two.', { id: 'm2' })];
    const thought = reasoning({ content: [{ type: 'reasoning_text', text: 'Hm.' }] });
    const { answer } = read([
      added(0, reasoning()),
      event('response.reasoning_text.delta', { output_index: 0, item_id: 'rs_1', delta: 'Hm.' }),
      done(0, thought),
      streamed(0, a, 'One.'),
      streamed(0, b, 'Two.'),
      completed([thought, a, b]),
    ]);
    expect(answer).toMatchObject({ text: 'One.Two.', reasoning: 'Hm.' });
  });

  it('is told once when there are no indexes, or no announcements', () => {
    const bare = (delta: string) => event('response.output_text.delta', { delta });
    const whole = event('response.output_text.done', { text: 'Hello' });
    expect(read([bare('Hel'), bare('lo'), whole, completed([message('Hello')])]).answer.text).toBe('Hello');
    expect(read([bare('Hel'), bare('lo'), whole, completed()]).answer.text).toBe('Hello');
  });
});

describe('the end', () => {
  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'contentFilter'],
    ['another', 'unknown'],
  ])('of an incomplete response is told by its reason: %s', (reason, finish) => {
    const incomplete = response({ status: 'incomplete', incomplete_details: { reason }, usage });
    const { answer } = read([
      created,
      streamed(0, message('Once'), 'Once'),
      event('response.incomplete', { response: incomplete }),
    ]);
    expect(answer).toMatchObject({
      text: 'Once',
      finishReason: 'incomplete',
      finish,
      usage: { inputTokens: 30 },
      error: null,
    });
  });

  it('is a refusal when the model refused', () => {
    const refused = message('', { content: [{ type: 'refusal', refusal: 'I cannot.' }] });
    const pieces = ['I can', 'not.'].map((delta) =>
      event('response.refusal.delta', { output_index: 0, content_index: 0, delta }),
    );
    const { answer, deltas } = read([
      created,
      added(0, message('')),
      ...pieces,
      done(0, refused),
      completed([refused]),
    ]);
    expect(answer).toMatchObject({ text: '', refusal: 'I cannot.', finish: 'refusal', error: null });
    expect(deltas).toEqual([
      { type: 'refusal', text: 'I can' },
      { type: 'refusal', text: 'not.' },
    ]);
    expect(read([completed([refused])]).answer).toMatchObject({ refusal: 'I cannot.', finish: 'refusal' });
  });

  it('may be [DONE] alone', () => {
    const { answer } = read([created, textDelta(0, 'Hi'), 'data: [DONE]\n\n']);
    expect(answer).toMatchObject({ text: 'Hi', finishReason: null, finish: 'unknown', error: null });
  });

  it('is missing when neither came, whatever else did', () => {
    const { answer } = read([created, streamed(0, message('Hi'), 'Hi')]);
    expect(answer).toMatchObject({
      text: 'Hi',
      finishReason: null,
      error: { kind: 'network', retryable: true },
    });
  });

  it.each([
    ['completed', { status: 'in_progress' }],
    ['completed', { status: undefined }],
    ['done', { status: 'completed' }],
    ['done', {}],
  ])('is response.%s, whatever the status in it says: %o', (name, fields) => {
    const { answer } = read([textDelta(0, 'Hi'), event(`response.${name}`, { response: response(fields) })]);
    expect(answer).toMatchObject({ text: 'Hi', finishReason: 'completed', finish: 'stop', error: null });
  });

  it('is all that is read', () => {
    expect(read([completed([message('Hi')]), textDelta(1, ' more')]).answer.text).toBe('Hi');
  });
});

describe('events', () => {
  it.each([
    ['the data alone', (type: string, data: object) => `data: ${JSON.stringify({ type, ...data })}\n\n`],
    [
      'the SSE field alone',
      (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`,
    ],
  ])('are known by %s', (_, write) => {
    const call = functionCall('c1', 'add', '{"a":1}');
    const { answer } = read([
      write('response.created', { response: response() }),
      write('response.output_text.delta', { output_index: 0, delta: 'Hi' }),
      write('response.output_item.added', { output_index: 1, item: { ...call, arguments: '' } }),
      write('response.function_call_arguments.delta', { output_index: 1, delta: '{"a":1}' }),
      write('response.output_item.done', { output_index: 1, item: call }),
      write('response.completed', { response: response({ status: 'completed', usage }) }),
    ]);
    expect(answer).toMatchObject({
      text: 'Hi',
      toolCalls: [{ id: 'c1', name: 'add', arguments: '{"a":1}' }],
      finish: 'toolCalls',
      error: null,
    });
  });

  it('of unknown types, and keep-alives, are passed over', () => {
    const { answer } = read([
      ': keep-alive\n\n',
      'event: keepalive\ndata: {"type":"keepalive","sequence_number":1}\n\n',
      created,
      event('response.audio.delta', { delta: 'AAAA' }),
      event('response.mcp_call_arguments.delta', { output_index: 0, delta: '{}' }),
      event('response.of_the_future.delta', { output_index: 0, delta: 'x' }),
      textDelta(1, 'Hi'),
      completed(),
    ]);
    expect(answer).toMatchObject({ text: 'Hi', toolCalls: [], error: null });
  });
});

describe('reasoning', () => {
  const summaryDelta = (index: number, delta: string) =>
    event('response.reasoning_summary_text.delta', { output_index: 0, summary_index: index, delta });
  const summary = ['First.', 'Second.'].map((text) => ({ type: 'summary_text', text }));

  it('is its summary, piece by piece as it came', () => {
    const item = reasoning({ summary, encrypted_content: 'gAAA' });
    const { answer, deltas } = read([
      added(0, reasoning()),
      summaryDelta(0, 'Fir'),
      summaryDelta(0, 'st.'),
      summaryDelta(1, 'Sec'),
      summaryDelta(1, 'ond.'),
      done(0, item),
      completed([item]),
    ]);
    expect(answer).toMatchObject({ reasoning: 'First.Second.', text: '' });
    expect(sumOf(deltas).reasoning).toBe(answer.reasoning);
    expect(deltas.every(({ type }) => type === 'reasoning')).toBe(true);
    expect(read([completed([item])]).answer.reasoning).toBe('First.Second.');
  });

  it('is told once when the server gives the text and the summary of it', () => {
    const item = reasoning({ summary, content: [{ type: 'reasoning_text', text: 'The long way.' }] });
    const piece = event('response.reasoning_text.delta', {
      output_index: 0,
      content_index: 0,
      delta: 'The long way.',
    });
    expect(read([added(0, reasoning()), piece, done(0, item), completed([item])]).answer.reasoning).toBe(
      'The long way.',
    );
    expect(read([completed([item])]).answer.reasoning).toBe('The long way.');
  });

  it.each(['response.reasoning.delta', 'response.reasoning_summary.delta'])(
    'comes by its older name %s too',
    (type) => {
      expect(
        read([event(type, { output_index: 0, delta: { text: 'Hm.' } }), completed()]).answer.reasoning,
      ).toBe('Hm.');
    },
  );
});

describe('function calls', () => {
  it('are put together from pieces, also those of several at once', () => {
    const [a, b] = [functionCall('c1', 'add', '{"a":1}'), functionCall('c2', 'mul', '{"b":2}')];
    const { answer, deltas } = read([
      added(0, { ...a, arguments: '' }),
      added(1, { ...b, arguments: '' }),
      argumentsDelta(0, '{"a"'),
      argumentsDelta(1, '{"b"'),
      argumentsDelta(0, ':1}'),
      argumentsDelta(1, ':2}'),
      done(1, b),
      done(0, a),
      completed([a, b]),
    ]);
    expect(answer.toolCalls).toEqual([
      { id: 'c1', name: 'add', arguments: '{"a":1}' },
      { id: 'c2', name: 'mul', arguments: '{"b":2}' },
    ]);
    expect(deltas[0]).toEqual({ type: 'toolCall', index: 0, id: 'c1', name: 'add', argumentsDelta: '' });
    expect(deltas[3]).toEqual({ type: 'toolCall', index: 1, id: 'c2', name: 'mul', argumentsDelta: '{"b"' });
  });

  const call = functionCall('c1', 'add', '{"a":1}');
  const announced = added(0, { ...call, arguments: '' });
  const end = event('response.function_call_arguments.done', { output_index: 0, arguments: '{"a":1}' });

  it.each([
    ['with the end of the arguments', announced + end + completed()],
    ['with the end of the item', announced + done(0, call) + completed()],
    ['with the announcement, whole', added(0, call) + completed()],
    [
      'whole, then in pieces',
      added(0, call) + argumentsDelta(0, '{"a":1}') + end + done(0, call) + completed([call]),
    ],
    [
      'before the announcement',
      argumentsDelta(0, '{"a"') + argumentsDelta(0, ':1}') + announced + done(0, call) + completed(),
    ],
    ['without an announcement', argumentsDelta(0, '{"a":1}') + done(0, call) + completed([call])],
    ['with the response only', completed([call])],
    ['as an object', completed([{ ...call, arguments: { a: 1 } }])],
    ['with a piece lost at the end', announced + argumentsDelta(0, '{"a"') + done(0, call) + completed()],
    ['with a piece lost at the start', announced + argumentsDelta(0, ':1}') + done(0, call) + completed()],
    [
      'by item ids without indexes',
      event('response.output_item.added', { item: { ...call, arguments: '' } }) +
        event('response.function_call_arguments.delta', { item_id: 'fc_c1', delta: '{"a":1}' }) +
        completed([call]),
    ],
    [
      'under another id at every place',
      announced +
        argumentsDelta(0, '{"a":1}', { item_id: 'x' }) +
        done(0, { ...call, id: 'y' }) +
        completed([{ ...call, id: 'z' }]),
    ],
  ])('come once when they come %s', (_, events) => {
    expect(read([created, events]).answer).toMatchObject({
      toolCalls: [{ id: 'c1', name: 'add', arguments: '{"a":1}' }],
      finish: 'toolCalls',
      error: null,
    });
  });

  it('may have no arguments', () => {
    const bare = functionCall('c1', 'now', '');
    expect(read([streamed(0, bare), completed([bare])]).answer.toolCalls).toEqual([
      { id: 'c1', name: 'now', arguments: '' },
    ]);
  });

  it('go by the id of the item when the server gives no other', () => {
    expect(read([completed([functionCall('', 'now', '{}', { id: 'fc_9' })])]).answer.toolCalls[0]?.id).toBe(
      'fc_9',
    );
  });

  it('of tools that the server runs are not ours', () => {
    const items = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c9', name: 'sql', input: 'select 1' },
      { type: 'of_the_future', id: 'f_1', content: [{ type: 'output_text', text: 'hidden' }] },
    ];
    const events = items.flatMap((item, i) => [added(i, { ...item, status: 'in_progress' }), done(i, item)]);
    expect(read([created, ...events, completed(items)]).answer).toMatchObject({
      text: '',
      toolCalls: [],
      finish: 'stop',
    });
  });
});
