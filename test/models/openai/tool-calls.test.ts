import { describe, expect, it } from 'vitest';
import { callChunks, chunk, done, read } from './support.ts';

function callsOf(...entries: unknown[]) {
  const { answer } = read([callChunks(...entries), done]);
  return answer.toolCalls.map(({ id, name, arguments: args }) => [id, name, args]);
}

const piece = (fields: object, name?: string | null, args?: unknown) => ({
  ...fields,
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});

describe('tool calls', () => {
  it('are put together by index, also when they come interleaved', () => {
    expect(
      callsOf(
        piece({ index: 0, id: 'a' }, 'add', ''),
        piece({ index: 1, id: 'b' }, 'mul', ''),
        piece({ index: 0 }, undefined, '{"x":'),
        piece({ index: 1 }, undefined, '{"y":'),
        piece({ index: 1 }, null, '2}'),
        piece({ index: 0 }, null, '1}'),
      ),
    ).toEqual([
      ['a', 'add', '{"x":1}'],
      ['b', 'mul', '{"y":2}'],
    ]);
  });

  it('may come several in one chunk, with or without index', () => {
    const entries = [piece({ id: 'a' }, 'add', '{}'), piece({ id: 'b' }, 'add', '{}')];
    expect(read([chunk({ tool_calls: entries }), done]).answer.toolCalls.map((call) => call.id)).toEqual([
      'a',
      'b',
    ]);
  });

  it('go by their place when several come at once, without index, and their pieces without id', () => {
    const several = (...entries: unknown[]) => chunk({ tool_calls: entries });
    const { answer } = read([
      several(piece({ id: 'a' }, 'add', ''), piece({ id: 'b' }, 'mul', '')),
      several(piece({}, undefined, '{"x"'), piece({}, undefined, '{"y"')),
      several(piece({}, undefined, ':1}'), piece({}, undefined, ':2}')),
      done,
    ]);
    expect(answer.toolCalls).toEqual([
      { id: 'a', name: 'add', arguments: '{"x":1}' },
      { id: 'b', name: 'mul', arguments: '{"y":2}' },
    ]);
  });

  it('may start at another index than 0', () => {
    expect(callsOf(piece({ index: 1, id: 'a' }, 'add', ''), piece({ index: 1 }, undefined, '{}'))).toEqual([
      ['a', 'add', '{}'],
    ]);
  });

  it('are put together by id when there is no index', () => {
    expect(
      callsOf(
        piece({ id: 'a' }, 'add', '{"x"'),
        piece({ id: 'b' }, 'mul', '{"y"'),
        piece({ id: 'a' }, undefined, ':1}'),
        piece({ id: 'b' }, undefined, ':2}'),
      ),
    ).toEqual([
      ['a', 'add', '{"x":1}'],
      ['b', 'mul', '{"y":2}'],
    ]);
  });

  it('continue the call before when a piece has neither index nor id', () => {
    expect(
      callsOf(piece({ id: 'a' }, 'add', '{'), piece({}, undefined, '}'), piece({}, 'mul', '{}')),
    ).toEqual([
      ['a', 'add', '{}'],
      ['', 'mul', '{}'],
    ]);
  });

  it('may repeat the id in each piece, empty it, or change it', () => {
    expect(
      callsOf(piece({ index: 0, id: 'a' }, 'add', ''), piece({ index: 0, id: 'a' }, undefined, '{}')),
    ).toEqual([['a', 'add', '{}']]);
    expect(callsOf(piece({ index: 0, id: 'a' }, 'add', ''), piece({ index: 0, id: '' }, '', '{}'))).toEqual([
      ['a', 'add', '{}'],
    ]);
    expect(
      callsOf(piece({ index: 0, id: 'a' }, 'add', ''), piece({ index: 0, id: 'z' }, null, '{}')),
    ).toEqual([['a', 'add', '{}']]);
  });

  it('may repeat the name in each piece, or bring it late or in pieces', () => {
    expect(callsOf(piece({ index: 0, id: 'a' }, 'add', '{'), piece({ index: 0 }, 'add', '}'))).toEqual([
      ['a', 'add', '{}'],
    ]);
    expect(callsOf({ index: 0, id: 'a' }, piece({ index: 0 }, 'add', '{}'))).toEqual([['a', 'add', '{}']]);
    expect(
      callsOf(
        piece({ index: 0, id: 'a' }, 'get_'),
        piece({ index: 0 }, 'weather'),
        piece({ index: 0 }, undefined, '{}'),
      ),
    ).toEqual([['a', 'get_weather', '{}']]);
  });

  it('are several when one index serves for all of them', () => {
    expect(
      callsOf(
        piece({ index: 0, id: 'a' }, 'add', '{"x":1}'),
        piece({ index: 0, id: 'b' }, 'add', '{"x":2}'),
        piece({ index: 0 }, 'mul', '{}'),
      ),
    ).toEqual([
      ['a', 'add', '{"x":1}'],
      ['b', 'add', '{"x":2}'],
      ['', 'mul', '{}'],
    ]);
    expect(callsOf(piece({ index: 0, id: 'a' }, 'now', ''), piece({ index: 0, id: 'b' }, 'now', ''))).toEqual(
      [
        ['a', 'now', ''],
        ['b', 'now', ''],
      ],
    );
  });

  it('count once when sent again whole', () => {
    const call = piece({ index: 0, id: 'a' }, 'add', '{"x":1}');
    expect(callsOf(call, call)).toEqual([['a', 'add', '{"x":1}']]);
    const asText = piece({ index: 0, id: 'a' }, 'add', JSON.stringify('{"x":1}'));
    expect(callsOf(call, asText)).toEqual([['a', 'add', '{"x":1}']]);
  });

  it('continue the call before when arguments come under another index', () => {
    expect(callsOf(piece({ index: 2, id: 'a' }, 'add', ''), piece({ index: 1 }, undefined, '{}'))).toEqual([
      ['a', 'add', '{}'],
    ]);
  });

  it('keep arguments as written, valid or not, and make objects text', () => {
    expect(callsOf(piece({ index: 0, id: 'a' }, 'add', '{"x": '))).toEqual([['a', 'add', '{"x": ']]);
    expect(callsOf(piece({ index: 0, id: 'a' }, 'add', { x: 1 }))).toEqual([['a', 'add', '{"x":1}']]);
  });

  it('are not made of nothing', () => {
    expect(
      callsOf({}, { index: 0 }, null, 'x', 7, [], { function: 'f' }, piece({ index: 0, id: '' }, '', '')),
    ).toEqual([]);
  });

  it('tell their deltas as they come', () => {
    const { deltas } = read([
      callChunks(piece({ index: 0, id: 'a' }, 'add', ''), piece({ index: 0 }, undefined, '{}')),
      done,
    ]);
    expect(deltas).toEqual([
      { type: 'toolCall', index: 0, id: 'a', name: 'add', argumentsDelta: '' },
      { type: 'toolCall', index: 0, id: 'a', name: 'add', argumentsDelta: '{}' },
    ]);
  });
});
