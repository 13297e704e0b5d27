import { describe, expect, it } from 'vitest';
import { callsFor } from '../support.ts';

describe('demo write file rule', () => {
  it.each([
    ["write 'hello' to notes.txt", 'notes.txt', 'hello'],
    ['write hello to the file notes', 'notes', 'hello'],
    ['write salt and pepper to notes.txt please', 'notes.txt', 'salt and pepper'],
    ['write "a, b; then c" to notes.txt', 'notes.txt', 'a, b; then c'],
    ["write 'it' to notes.txt", 'notes.txt', 'it'],
    ["write 'what's up' to notes.txt", 'notes.txt', "what's up"],
    ['write "two\nlines" to notes.txt', 'notes.txt', 'two\nlines'],
    ["write 'a to b.txt' to notes.txt", 'notes.txt', 'a to b.txt'],
    ['create notes.txt with hello', 'notes.txt', 'hello'],
    ['create notes.txt with Hello, world!', 'notes.txt', 'Hello, world!'],
    ['could you create notes.txt with hello?', 'notes.txt', 'hello'],
    ['create a file called notes.txt with the content hello', 'notes.txt', 'hello'],
    ['save hello as notes.txt', 'notes.txt', 'hello'],
    ['write to notes.txt: hello there', 'notes.txt', 'hello there'],
    ['create an empty file notes.txt', 'notes.txt', ''],
  ])('writes in English: %s', async (text, path, content) => {
    expect(await callsFor(text)).toEqual([['write_file', { path, content }]]);
  });

  it.each([
    ['把 你好 写入 notes.txt', 'notes.txt', '你好'],
    ['把“你好，世界”写入 notes.txt', 'notes.txt', '你好，世界'],
    ['将 hello 保存到 notes.txt', 'notes.txt', 'hello'],
    ['请帮我把 hello 写到 notes.txt 里', 'notes.txt', 'hello'],
    ['在 notes.txt 里写入 你好，世界！', 'notes.txt', '你好，世界！'],
    ['创建 notes.txt，内容是 你好', 'notes.txt', '你好'],
    ['创建一个名为 notes.txt 的文件，内容为 你好', 'notes.txt', '你好'],
    ['把“写入”写入 notes.txt', 'notes.txt', '写入'],
    ['写入 你好 到 notes.txt', 'notes.txt', '你好'],
  ])('writes in Chinese: %s', async (text, path, content) => {
    expect(await callsFor(text)).toEqual([['write_file', { path, content }]]);
  });

  it.each([
    'write a letter to grandma',
    'write a poem to poem.txt',
    'create a plan with me',
    'save money in 2024',
    'write it to b.txt',
    '写一首诗到 poem.txt',
    '把 a.txt 的内容写入 b.txt',
    '我写信给奶奶',
  ])('leaves alone, for it would have to make up the content or the path: %s', async (text) => {
    expect(await callsFor(text)).toEqual([]);
  });
});
