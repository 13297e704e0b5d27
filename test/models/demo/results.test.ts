import { describe, expect, it } from 'vitest';
import { ask, assistant, converse, user } from './support.ts';

const known = [user('hello'), assistant((await ask([user('hello')])).text)];

describe('demo answers from results', () => {
  it('quotes a short result in the sentence', async () => {
    const { answer } = await converse([...known, user('convert 10 miles to km')], {
      unit_convert: () => '16.09344 km',
    });
    expect(answer.text).toBe('10 miles = 16.09344 km');
  });

  it('quotes a longer result as a block', async () => {
    const { answer } = await converse([...known, user('list the files in src')], {
      list_files: () => 'a.ts\nb.ts\n',
    });
    expect(answer.text).toBe('Files in src:\n```\na.ts\nb.ts\n```');
  });

  it('answers in the language of the question', async () => {
    const { answer } = await converse([...known, user('列出 src 目录的文件')], { list_files: () => 'a.ts' });
    expect(answer.text).toBe('src 中的文件：a.ts');
  });

  it('cuts a long result and says so', async () => {
    const { answer } = await converse([...known, user('read a.txt')], {
      read_file: () => '好\n'.repeat(5_000),
    });
    expect(answer.text.length).toBeLessThan(2_000);
    expect(answer.text).toContain('… (cut here)');
  });

  it('fences a result that holds a fence itself', async () => {
    const { answer } = await converse([...known, user('read a.md')], { read_file: () => '```js\n1\n```' });
    expect(answer.text).toContain('````\n```js\n1\n```\n````');
  });

  it('says when a result is empty', async () => {
    const { answer } = await converse([...known, user('list files')], { list_files: () => '' });
    expect(answer.text).toBe('Files in .: (nothing)');
  });

  it.each([
    ['read a.txt', 'read_file did not succeed, and I do not retry: no such file'],
    ['读取 a.txt', 'read_file 没有成功，我不会重试：no such file'],
  ])('says what failed and does not retry: %s', async (text, expected) => {
    const { answer, rounds } = await converse([...known, user(text)], {
      read_file: () => ({ error: 'no such file' }),
    });
    expect(answer.text).toBe(expected);
    expect(rounds).toBe(1);
  });

  it.each([
    [
      "write 'x' to a.txt",
      'The call of write_file was rejected, so I leave it: Rejected by a person: not now',
    ],
    ['把“x”写入 a.txt', '对 write_file 的调用被拒绝了，我不再继续：Rejected by a person: not now'],
  ])('accepts that a person said no: %s', async (text, expected) => {
    const { answer } = await converse([...known, user(text)], {
      write_file: () => ({ error: 'Rejected by a person: not now' }),
    });
    expect(answer.text).toBe(expected);
  });

  it('reports calls of another model, whose tools it has no rule for', async () => {
    const { text } = await ask([
      user('weather?'),
      {
        ...assistant(''),
        role: 'assistant',
        reasoning: '',
        toolCalls: [{ id: 'x', name: 'weather', arguments: '{' }],
      },
      { role: 'tool', toolCallId: 'x', name: 'weather', text: 'rain', isError: false },
    ]);
    expect(text).toContain('weather: rain');
  });
});
