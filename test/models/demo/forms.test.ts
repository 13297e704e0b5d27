import { describe, expect, it } from 'vitest';
import { forms } from '../../../src/models/demo/forms.ts';
import { ask, assistant, callsFor, converse, user } from './support.ts';

describe('what the demo understands', () => {
  it.each([
    ['what is 12*(3+4)?', 'calculator', { expression: '12*(3+4)' }],
    ['What is 17 * 23?', 'calculator', { expression: '17 * 23' }],
    ['2+3', 'calculator', { expression: '2+3' }],
    ['12*(3+4)等于多少？', 'calculator', { expression: '12*(3+4)' }],
    ['convert 10 miles to km', 'unit_convert', { value: 10, from: 'miles', to: 'km' }],
    ['把 5 km 换算成 miles', 'unit_convert', { value: 5, from: 'km', to: 'miles' }],
    ['what time is it?', 'datetime', {}],
    ['what time is it in Tokyo?', 'datetime', { timezone: 'Asia/Tokyo' }],
    ['what day is it in new york', 'datetime', { timezone: 'America/New_York' }],
    ['现在几点？', 'datetime', {}],
    ['read README.md', 'read_file', { path: 'README.md' }],
    ['Please read LICENSE.', 'read_file', { path: 'LICENSE' }],
    ['读取 README.md', 'read_file', { path: 'README.md' }],
    ['list files', 'list_files', {}],
    ['list the files in the current folder', 'list_files', {}],
    ['list the files in docs', 'list_files', { path: 'docs' }],
    ['列出 src 目录的文件', 'list_files', { path: 'src' }],
    ['列出当前目录的文件', 'list_files', {}],
    ["write 'hello' to notes.txt", 'write_file', { path: 'notes.txt', content: 'hello' }],
    ['write "milk, and eggs!" to a/b.txt', 'write_file', { path: 'a/b.txt', content: 'milk, and eggs!' }],
    ['把“你好”写入 notes.txt', 'write_file', { path: 'notes.txt', content: '你好' }],
    ['what do you remember about my cat?', 'memory_search', { query: 'my cat', limit: 2 }],
    ['关于 Detent 你记得什么？', 'memory_search', { query: 'Detent', limit: 2 }],
    ['how does Detent resume?', 'memory_search', { query: 'how does Detent resume', limit: 2 }],
    ['remember that my name is Ada', 'memory_write', { lines: ['my name is Ada'] }],
    ['请记住我叫小明', 'memory_write', { lines: ['我叫小明'] }],
  ])('%s', async (text, tool, args) => {
    expect(await callsFor(text)).toEqual([[tool, args]]);
  });

  it.each(forms.flatMap(({ tool, example }) => Object.values(example).map((text) => [text, tool] as const)))(
    'is what its help says: %s',
    async (text, tool) => {
      expect((await callsFor(text)).map(([name]) => name)).toEqual([tool]);
    },
  );

  it.each([
    'I read a book yesterday',
    'do not write "x" to a.txt',
    'write a poem to a.txt',
    'read a.txt and write it to b.txt',
    'what time is it in Nowhere?',
    'convert 3 to km',
    '1.2.3',
  ])('is nothing else: %s', async (text) => {
    const { text: said, toolCalls } = await ask([user(text)]);
    expect(toolCalls).toEqual([]);
    expect(said).toContain('I cannot answer that.');
    expect(said).toContain('I understand only sentences of these forms');
  });

  it.each([
    ['call sell {"tea": "Longjing", "packs": 2}', { tea: 'Longjing', packs: 2 }],
    ['Please call sell.', {}],
    ['调用 sell {"tea": "龙井"}', { tea: '龙井' }],
  ])("is a call of a user's own tool: %s", async (text, args) => {
    const { toolCalls } = await ask([user(text)], { tools: ['sell'] });
    expect(toolCalls).toMatchObject([{ name: 'sell', arguments: JSON.stringify(args) }]);
  });

  it.each(['call sell {"tea"}', 'call me later', 'call sell []'])('is no call: %s', async (text) => {
    const { text: said, toolCalls } = await ask([user(text)], { tools: ['sell'] });
    expect(toolCalls).toEqual([]);
    expect(said).toContain('call NAME {"argument": "value"}');
  });

  it('is one sentence of each message that waited', async () => {
    const { toolCalls } = await ask([user('what is 2+3'), user('what is it all for?'), user('现在几点')]);
    expect(toolCalls.map(({ name }) => name)).toEqual(['calculator', 'datetime']);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
  });
});

describe('the demo steered while a call runs', () => {
  const underWay = async (steer: string) => {
    const { text, toolCalls } = await ask([user('read a.txt')]);
    const id = toolCalls[0]?.id ?? '';
    return [
      user('read a.txt'),
      { ...assistant(text), role: 'assistant', reasoning: '', toolCalls } as const,
      { role: 'tool', toolCallId: id, name: 'read_file', text: 'old news', isError: false } as const,
      user(steer),
    ];
  };

  it('handles the new message, and reports both', async () => {
    const { answer } = await converse(await underWay('what is 2+3?'), { calculator: () => '5' });
    expect(answer.text).toBe('a.txt: old news\n\n2+3 = 5');
  });

  it('says what it has when the new message needs no tool', async () => {
    const { answer, rounds } = await converse(await underWay('stop'), {});
    expect(rounds).toBe(0);
    expect(answer.text).toMatch(/^a\.txt: old news\n\nI cannot answer that\./);
  });
});
