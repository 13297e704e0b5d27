import { describe, expect, it } from 'vitest';
import { callsFor } from '../support.ts';

describe('demo read file rule', () => {
  it.each([
    ['read README.md', { path: 'README.md' }],
    ['can you please read the README.md file?', { path: 'README.md' }],
    ['show me the contents of notes.txt', { path: 'notes.txt' }],
    ['cat src/index.ts', { path: 'src/index.ts' }],
    ['what is in notes.txt?', { path: 'notes.txt' }],
    ['what does notes.txt say?', { path: 'notes.txt' }],
    ['read the file notes', { path: 'notes' }],
    ['read "my notes"', { path: 'my notes' }],
    ['show me the first 10 lines of notes.txt', { path: 'notes.txt', limit: 10 }],
    ['read the first three lines of one.txt', { path: 'one.txt', limit: 3 }],
    ['read lines 5 to 10 of notes.txt', { path: 'notes.txt', offset: 5, limit: 6 }],
    ['read line 7 of notes.txt', { path: 'notes.txt', offset: 7, limit: 1 }],
  ])('reads in English: %s', async (text, args) => {
    expect(await callsFor(text)).toEqual([['read_file', args]]);
  });

  it.each([
    ['读取 notes.txt', { path: 'notes.txt' }],
    ['读取notes.txt的内容', { path: 'notes.txt' }],
    ['请打开文件 notes.txt', { path: 'notes.txt' }],
    ['读一下 笔记.txt 吧', { path: '笔记.txt' }],
    ['notes.txt 里有什么？', { path: 'notes.txt' }],
    ['README.md 的内容是什么', { path: 'README.md' }],
    ['查看 notes.txt 文件', { path: 'notes.txt' }],
    ['显示 notes.txt 的前 10 行', { path: 'notes.txt', limit: 10 }],
    ['读取 notes.txt 前十行', { path: 'notes.txt', limit: 10 }],
    ['看 notes.txt 的第 5 到 10 行', { path: 'notes.txt', offset: 5, limit: 6 }],
  ])('reads in Chinese: %s', async (text, args) => {
    expect(await callsFor(text)).toEqual([['read_file', args]]);
  });

  it.each([
    'I read a book yesterday',
    'read a book',
    'what is Node.js?',
    'open the door',
    'show me the way',
    'do not read a.txt',
    'read https://example.com/a.html',
    '我昨天读了一本书',
    '看电影',
    '不要读取 a.txt',
  ])('leaves alone: %s', async (text) => {
    expect(await callsFor(text)).toEqual([]);
  });
});
