import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../../src/ports/chat-model.ts';
import { ask, callsFor, converse, user } from './support.ts';

function callsIn(messages: readonly PromptMessage[]): Array<[string, unknown]> {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
    .map(({ name, arguments: json }) => [name, JSON.parse(json)]);
}

describe('demo with several requests in one message', () => {
  it.each([
    'what time is it and what is 2+3',
    'What time is it? What is 2+3?',
    'please tell me what time it is; then compute 2+3',
    '现在几点，2+3等于多少',
    '现在几点？然后算一下2加3',
  ])('makes parallel calls in one answer: %s', async (text) => {
    expect(await callsFor(text)).toEqual([
      ['datetime', {}],
      ['calculator', { expression: '2+3' }],
    ]);
  });

  it('gives every call of an answer an id of its own', async () => {
    const { toolCalls, finish, finishReason } = await ask([user('2+3, 3+4 and 4+5')]);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(3);
    expect([finish, finishReason]).toEqual(['toolCalls', 'tool_calls']);
  });

  it('keeps the order of a message that writes and then reads', async () => {
    expect(await callsFor('write hello to a.txt, then read a.txt')).toEqual([
      ['write_file', { path: 'a.txt', content: 'hello' }],
      ['read_file', { path: 'a.txt' }],
    ]);
  });

  it('reads messages that waited together as one', async () => {
    const { toolCalls } = await ask([user('what is 2+3'), user('现在几点')]);
    expect(toolCalls.map(({ name }) => name)).toEqual(['calculator', 'datetime']);
  });

  it('reports all results in order', async () => {
    const { answer } = await converse([user('what is 2+3 and read a.txt')], {
      calculator: () => '5',
      read_file: () => ({ error: 'no such file' }),
    });
    expect(answer.text).toBe('2+3 = 5\n\nread_file did not succeed, and I do not retry: no such file');
  });
});

describe('demo with a two-step request', () => {
  it.each([
    'read a.txt then write it to b.txt',
    'Read a.txt. Then save the result as b.txt!',
    '读取 a.txt，然后把内容写入 b.txt',
    '读取 a.txt 然后写入 b.txt',
  ])('hands the first result to the second call: %s', async (text) => {
    const { messages, rounds } = await converse([user(text)], {
      read_file: () => 'secret\n',
      write_file: () => 'created b.txt',
    });
    expect(rounds).toBe(2);
    expect(callsIn(messages)).toEqual([
      ['read_file', { path: 'a.txt' }],
      ['write_file', { path: 'b.txt', content: 'secret\n' }],
    ]);
  });

  it('takes the result of the call just before', async () => {
    const { messages } = await converse(
      [user('what time is it, compute 2+3 and write the result to r.txt')],
      {
        calculator: () => '5',
        datetime: () => 'noon',
        write_file: () => 'created r.txt',
      },
    );
    expect(callsIn(messages).at(-1)).toEqual(['write_file', { path: 'r.txt', content: '5' }]);
  });

  it('does later requests of the message after the second step, not before it', async () => {
    const { messages } = await converse([user('read a.txt, write it to b.txt, then read b.txt')], {
      read_file: () => 'text',
      write_file: () => 'created b.txt',
    });
    expect(callsIn(messages).map(([tool]) => tool)).toEqual(['read_file', 'write_file', 'read_file']);
  });

  it('stops when the first step failed', async () => {
    const { answer, rounds } = await converse([user('read a.txt then write it to b.txt')], {
      read_file: () => ({ error: 'no such file' }),
    });
    expect(rounds).toBe(1);
    expect(answer.text).toContain('I did not go on with write_file');
  });

  it.each([
    ['read a.txt then write it to b.txt', '[lines 1-1; the file goes on: call read_file with offset 2]'],
    ['read the first 1 line of a.txt, then write it to b.txt', '[only the first 2000 characters of line 1]'],
  ])('does not copy what was read in part: %s', async (text, note) => {
    const { answer, rounds } = await converse([user(text)], { read_file: () => `line 1\n${note}` });
    expect(rounds).toBe(1);
    expect(answer.text).toContain('I did not go on with write_file');
  });

  it('copies the lines that were asked for, without the note of the tool', async () => {
    const part = 'line 1\n[lines 1-1; the file goes on: call read_file with offset 2]';
    const { messages } = await converse([user('read the first 1 line of a.txt, then write it to b.txt')], {
      read_file: () => part,
      write_file: () => 'created b.txt',
    });
    expect(callsIn(messages).at(-1)).toEqual(['write_file', { path: 'b.txt', content: 'line 1\n' }]);
  });

  it('does not start what would take three steps', async () => {
    const { messages } = await converse(
      [user('read a.txt, write it to b.txt, read c.txt, write it to d.txt')],
      {
        read_file: () => 'text',
      },
    );
    expect(callsIn(messages).some(([tool]) => tool === 'write_file')).toBe(false);
  });
});

describe('demo steered while a request is under way', () => {
  const underWay = async (steer: string): Promise<PromptMessage[]> => {
    const first = await ask([user('read a.txt then write it to b.txt')]);
    return [
      user('read a.txt then write it to b.txt'),
      { role: 'assistant', text: first.text, reasoning: '', toolCalls: first.toolCalls },
      {
        role: 'tool',
        toolCallId: first.toolCalls[0]?.id ?? '',
        name: 'read_file',
        text: 'old news',
        isError: false,
      },
      user(steer),
    ];
  };

  it('handles the new message instead of going on', async () => {
    const { messages, answer } = await converse(await underWay('no, what is 2+3?'), {
      calculator: () => '5',
    });
    expect(callsIn(messages).map(([tool]) => tool)).toEqual(['read_file', 'calculator']);
    expect(answer.text).toContain('a.txt: old news');
    expect(answer.text).toContain('2+3 = 5');
  });

  it('says what it has when the new message needs no tool', async () => {
    const { answer, rounds } = await converse(await underWay('stop'), {});
    expect(rounds).toBe(0);
    expect(answer.text).toBe('a.txt: old news\n\nThis I did not understand: “stop”.');
  });
});
