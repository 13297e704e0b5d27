import { describe, expect, it } from 'vitest';
import { callsFor, converse, user } from '../support.ts';

/** What the tool answers, as far as the demo reads it. */
function found(...passages: ReadonlyArray<readonly [path: string, line: number, snippet: string]>): string {
  const results = passages.map(([path, line, snippet]) => ({
    path,
    startLine: line,
    endLine: line,
    snippet,
  }));
  return JSON.stringify({ reason: results.length === 0 ? 'nothing is remembered yet' : null, results });
}

describe('demo memory search rule', () => {
  it.each([
    ['what do you remember about Detent?', 'Detent'],
    ['What can you recall about the hotel in Lisbon', 'the hotel in Lisbon'],
    ['do you remember anything about Ada?', 'Ada'],
    ['what did I tell you about nuts?', 'nuts'],
    ['search your memory for boats', 'boats'],
    ['what is Detent?', 'what is Detent'],
    ['how does Detent resume a run?', 'how does Detent resume a run'],
    ['Can you tell me what Detent is?', 'what Detent is'],
  ])('searches in English: %s', async (text, query) => {
    expect(await callsFor(text)).toEqual([['memory_search', { query, limit: 2 }]]);
  });

  it.each([
    ['关于 Detent 你记得什么？', 'Detent'],
    ['你还记得里斯本的酒店吗？', '里斯本的酒店'],
    ['搜索记忆：船', '船'],
    ['Detent 怎么恢复运行？', 'Detent 怎么恢复运行'],
    ['什么是 Detent？', '什么是 Detent'],
  ])('searches in Chinese: %s', async (text, query) => {
    expect(await callsFor(text)).toEqual([['memory_search', { query, limit: 2 }]]);
  });

  it.each([
    'I remember the sea',
    'what do you remember?',
    'Detent is nice',
    'memory is cheap',
    '记得',
    '我记得大海',
  ])('leaves alone: %s', async (text) => {
    expect(await callsFor(text)).toEqual([]);
  });

  it('shows each passage below its place', async () => {
    const { answer } = await converse([user('what do you remember about tea?')], {
      memory_search: () =>
        found(['memory/MEMORY.md', 3, '- Ada drinks tea.'], ['memory/2026-03-05.md', 1, '# Tea']),
    });
    expect(answer.text).toBe(
      'In memory:\n```\nmemory/MEMORY.md:3-3\n- Ada drinks tea.\n\nmemory/2026-03-05.md:1-1\n# Tea\n```',
    );
  });

  it('says why nothing was found', async () => {
    const { answer } = await converse([user('what do you remember about tea?')], {
      memory_search: () => found(),
    });
    expect(answer.text).toBe('In memory: nothing is remembered yet');
  });

  it('shows a result that is none of the tool as it is', async () => {
    const { answer } = await converse([user('what do you remember about tea?')], {
      memory_search: () => 'tea is hot',
    });
    expect(answer.text).toBe('In memory: tea is hot');
  });

  it('hands the passages on', async () => {
    const { messages } = await converse([user('what do you remember about tea? Then write it to tea.txt')], {
      memory_search: () => found(['memory/MEMORY.md', 3, '- Ada drinks tea.']),
      write_file: () => 'created tea.txt',
    });
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
    expect(JSON.parse(calls.at(-1)?.arguments ?? '')).toEqual({
      path: 'tea.txt',
      content: 'memory/MEMORY.md:3-3\n- Ada drinks tea.',
    });
  });
});
