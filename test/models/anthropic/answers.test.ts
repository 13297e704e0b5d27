import { describe, expect, it } from 'vitest';
import { rememberedBlocks, sumOf } from '../support/recordings.ts';
import {
  block,
  callBlock,
  event,
  messageEnd,
  messageStart,
  messageStop,
  read,
  textBlock,
} from './support.ts';

const text = (piece: string) => ({ type: 'text_delta', text: piece });
const input = (piece: string) => ({ type: 'input_json_delta', partial_json: piece });

describe('the arguments of a call', () => {
  it.each([
    ['in pieces', callBlock(0, 't', 'add', '{"a"', ': 1', '}'), '{"a": 1}'],
    ['in one empty piece', callBlock(0, 't', 'add', ''), '{}'],
    ['not at all', callBlock(0, 't', 'add'), '{}'],
    ['with the start', block(0, { type: 'tool_use', id: 't', name: 'add', input: { a: 1 } }), '{"a":1}'],
    [
      'with the start and again in pieces',
      block(0, { type: 'tool_use', id: 't', name: 'add', input: { a: 1 } }, input('{"a": 1}')),
      '{"a": 1}',
    ],
    ['without input in the start', block(0, { type: 'tool_use', id: 't', name: 'add' }), '{}'],
    ['cut off by the length of the answer', callBlock(0, 't', 'add', '{"text": "Onc'), '{"text": "Onc'],
  ])('come %s', (_, events, expected) => {
    const { answer, deltas } = read([messageStart(), events, messageEnd('tool_use')]);
    expect(answer.toolCalls).toEqual([{ id: 't', name: 'add', arguments: expected }]);
    expect(sumOf(deltas).toolCalls).toEqual(answer.toolCalls);
  });

  it('belong to one call when its start is said twice', () => {
    const start = event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 't', name: 'add', input: {} },
    });
    const { answer } = read([messageStart(), start, callBlock(0, 't', 'add', '{}'), messageEnd('tool_use')]);
    expect(answer.toolCalls).toEqual([{ id: 't', name: 'add', arguments: '{}' }]);
  });

  it('stay apart when calls come at the same time', () => {
    const start = (index: number, id: string) =>
      event({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id, name: 'add', input: {} },
      });
    const delta = (index: number, piece: string) =>
      event({ type: 'content_block_delta', index, delta: input(piece) });
    const { answer } = read([
      messageStart() + start(0, 'a') + start(1, 'b'),
      delta(1, '{"b"') + delta(0, '{"a"') + delta(1, ':2}') + delta(0, ':1}'),
      messageEnd('tool_use'),
    ]);
    expect(answer.toolCalls.map(({ arguments: args }) => args)).toEqual(['{"a":1}', '{"b":2}']);
  });
});

describe('a stream that bends the rules', () => {
  it.each([
    ['says its start twice', [messageStart(), messageStart(), textBlock(0, 'Once')]],
    [
      'says the start of a block twice',
      [
        messageStart(),
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        textBlock(0, 'Once'),
      ],
    ],
    [
      'has no start of a block',
      [messageStart(), event({ type: 'content_block_delta', index: 0, delta: text('Once') })],
    ],
    ['has no start at all', [event({ type: 'content_block_delta', index: 0, delta: text('Once') })]],
    ['counts no blocks', [messageStart(), textBlock(0, 'Once').replaceAll('"index":0,', '')]],
    [
      'never ends its block',
      [messageStart(), textBlock(0, 'Once').split('event: content_block_stop')[0] ?? ''],
    ],
    [
      'has words in the start of a block',
      [messageStart(), block(0, { type: 'text', text: 'On' }, text('ce'))],
    ],
    [
      'names no events',
      [messageStart(), textBlock(0, 'Once')].map((events) => events.replace(/^event: .*\n/gm, '')),
    ],
    [
      'names its events outside only',
      [messageStart(), textBlock(0, 'Once').replace('"type":"content_block_delta",', '')],
    ],
    [
      'has events of types to come',
      [messageStart(), event({ type: 'weather', text: 'rain' }), textBlock(0, 'Once')],
    ],
    [
      'has keep-alives',
      [
        messageStart(),
        'event: ping\ndata: {"type": "ping"}\n\n',
        ': hi\n\n',
        'event: ping\ndata:\n\n',
        textBlock(0, 'Once'),
      ],
    ],
  ])('is read when it %s', (_, pieces) => {
    const { answer, deltas } = read([...pieces, messageEnd()]);
    expect(answer).toMatchObject({ text: 'Once', finishReason: 'end_turn', error: null });
    expect(sumOf(deltas).text).toBe('Once');
  });

  it('loses no call without arguments when blocks are neither counted nor closed', () => {
    const start = (id: string) =>
      event({ type: 'content_block_start', content_block: { type: 'tool_use', id, name: 'now' } });
    const { answer } = read([messageStart(), start('a'), start('b'), messageEnd('tool_use')]);
    expect(answer.toolCalls).toEqual([
      { id: 'a', name: 'now', arguments: '{}' },
      { id: 'b', name: 'now', arguments: '{}' },
    ]);
  });

  it('goes on after data that is no event of the wire', () => {
    const { answer } = read([
      messageStart(),
      'data: {"hello":"world"}\n\n',
      textBlock(0, 'Once'),
      messageEnd(),
    ]);
    expect(answer).toMatchObject({ text: 'Once', error: null });
  });

  it('has the last signature of a thought, and the reason for its refusal once', () => {
    const signed = (signature: string) => ({ type: 'signature_delta', signature });
    const delta = { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'Not this.' } };
    const { answer } = read([
      messageStart(),
      block(0, { type: 'thinking', thinking: 'Hm.', signature: 'b25l' }, signed('b25l'), signed('dHdv')),
      event({ type: 'message_delta', delta }) + event({ type: 'message_delta', delta }) + messageStop,
    ]);
    expect(rememberedBlocks(answer)).toEqual([{ type: 'thinking', thinking: 'Hm.', signature: 'dHdv' }]);
    expect(answer.refusal).toBe('Not this.');
  });

  it('is complete with a stop reason, without message_stop', () => {
    const { answer } = read([messageStart(), textBlock(0, 'Once'), messageEnd().replace(messageStop, '')]);
    expect(answer).toMatchObject({ text: 'Once', finish: 'stop', error: null });
  });

  it('is complete with message_stop, without a stop reason', () => {
    const { answer } = read([messageStart(), textBlock(0, 'Once'), messageStop]);
    expect(answer).toMatchObject({ text: 'Once', finishReason: null, finish: 'unknown', error: null });
  });

  it('may have blocks in its first event, which none repeats', () => {
    const content = [
      { type: 'code_execution_tool_result', tool_use_id: 'srv', content: { stdout: 'Hi' } },
      { type: 'text', text: 'Once' },
      { type: 'tool_use', id: 't', name: 'add', input: { a: 1 } },
    ];
    const start = messageStart({ content, stop_reason: 'tool_use' });
    const { answer, deltas } = read([start, start, messageStop]);
    const toolCalls = [{ id: 't', name: 'add', arguments: '{"a":1}' }];
    expect(answer).toMatchObject({ text: 'Once', toolCalls, finish: 'toolCalls', error: null });
    expect(sumOf(deltas)).toMatchObject({ text: 'Once', toolCalls });
    expect(read([messageStart({ content }), textBlock(3, ' more'), messageEnd()]).answer).toMatchObject({
      text: 'Once more',
      toolCalls,
    });
  });

  it('has no words after its end', () => {
    const { answer } = read([messageStart(), textBlock(0, 'Once'), messageEnd() + textBlock(1, 'more')]);
    expect(answer.text).toBe('Once');
  });
});

describe('blocks that are neither text nor calls', () => {
  it('are kept as they came, put together from their pieces', () => {
    const result = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ url: 'https://a.test' }] };
    const start = { type: 'text', text: '', citations: [] };
    const { answer } = read([
      messageStart(),
      block(
        0,
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        input('{"query":'),
        input('"a"}'),
      ),
      block(1, result),
      block(
        2,
        { type: 'compaction', content: null },
        { type: 'compaction_delta', content: 'So far.', encrypted_content: null },
      ),
      block(3, start, { type: 'citations_delta', citation: { url: 'https://a.test' } }, text('Once')),
      block(
        4,
        { type: 'type_to_come' },
        { type: 'delta_to_come', words: 'a', list: [1] },
        { type: 'delta_to_come', words: 'b' },
      ),
      messageEnd(),
    ]);
    expect(answer).toMatchObject({ text: 'Once', toolCalls: [], finish: 'stop' });
    expect(rememberedBlocks(answer)).toEqual([
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'a' } },
      result,
      { type: 'compaction', content: 'So far.' },
      { type: 'text', text: 'Once', citations: [{ url: 'https://a.test' }] },
      { type: 'type_to_come', words: 'ab', list: [1] },
    ]);
  });
});

describe('the model', () => {
  it('is the one that answered, also when it stepped in for another', () => {
    const to = { model: 'fallback-model' };
    const { answer } = read([
      messageStart(),
      textBlock(0, 'Once'),
      block(1, { type: 'fallback', from: { model: 'real-model' }, to }),
      textBlock(2, ' more'),
      messageEnd(),
    ]);
    expect(answer).toMatchObject({ model: 'fallback-model', text: 'Once more' });
  });
});

describe('the stop reason', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['pause_turn', 'unknown'],
    ['reason_to_come', 'unknown'],
  ])('%s is kept, and is %s to us', (reason, finish) => {
    const { answer } = read([messageStart(), textBlock(0, 'Once'), messageEnd(reason)]);
    expect(answer).toMatchObject({ finishReason: reason, finish, error: null });
  });

  it.each(['tool_use', 'end_turn'])('%s after calls means calls', (reason) => {
    const { answer } = read([messageStart(), callBlock(0, 't', 'add'), messageEnd(reason)]);
    expect(answer).toMatchObject({ finishReason: reason, finish: 'toolCalls' });
  });

  it('explains a refusal when the provider does', () => {
    const delta = { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'Not this.' } };
    const { answer, deltas } = read([messageStart(), event({ type: 'message_delta', delta }), messageStop]);
    expect(answer).toMatchObject({ text: '', refusal: 'Not this.', finish: 'refusal' });
    expect(deltas).toEqual([{ type: 'refusal', text: 'Not this.' }]);
  });
});

describe('the usage', () => {
  function usageOf(start: unknown, end: unknown) {
    return read([messageStart({ usage: start }), textBlock(0, 'Hi'), messageEnd('end_turn', { usage: end })])
      .answer.usage;
  }

  it('counts what was read from the cache and written to it as input', () => {
    const start = {
      input_tokens: 4,
      cache_read_input_tokens: 1_000,
      cache_creation_input_tokens: 200,
      output_tokens: 1,
    };
    expect(usageOf(start, { output_tokens: 50 })).toEqual({
      inputTokens: 1_204,
      outputTokens: 50,
      cachedInputTokens: 1_000,
      cacheWriteInputTokens: 200,
      reasoningTokens: 0,
    });
  });

  it('takes each count from where it stood last, and null for not said', () => {
    const start = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 };
    const end = {
      input_tokens: 900,
      cache_read_input_tokens: null,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
    };
    expect(usageOf(start, end)).toEqual({
      inputTokens: 905,
      outputTokens: 50,
      cachedInputTokens: 5,
      reasoningTokens: 20,
    });
  });

  it('is unknown when nothing was counted', () => {
    expect(usageOf(undefined, undefined)).toBeNull();
    expect(usageOf({ input_tokens: 'many' }, null)).toBeNull();
  });
});
