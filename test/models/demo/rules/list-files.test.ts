import { describe, expect, it } from 'vitest';
import { callsFor } from '../support.ts';

describe('demo list files rule', () => {
  it.each([
    ['list files', {}],
    ['list all files in the current directory', {}],
    ['what files are here?', {}],
    ['which files are there in src', { path: 'src' }],
    ['list the files in src', { path: 'src' }],
    ['show me the files in src/models', { path: 'src/models' }],
    ["what's in the src folder?", { path: 'src' }],
    ['list "my folder/"', null],
    ['list the files in "my folder"', { path: 'my folder' }],
    ['ls', {}],
    ['ls src', { path: 'src' }],
  ])('lists in English: %s', async (text, args) => {
    expect(await callsFor(text)).toEqual(args === null ? [] : [['list_files', args]]);
  });

  it.each([
    ['列出当前目录的文件', {}],
    ['列出所有文件', {}],
    ['当前目录有哪些文件', {}],
    ['看看当前目录里有什么文件', {}],
    ['列出 src 目录下的所有文件', { path: 'src' }],
    ['列出src里的文件', { path: 'src' }],
    ['src 里有什么文件？', { path: 'src' }],
    ['列出“我的 目录”里的文件', { path: '我的 目录' }],
  ])('lists in Chinese: %s', async (text, args) => {
    expect(await callsFor(text)).toEqual([['list_files', args]]);
  });

  it.each(['list three reasons', 'list animals', '列出三个理由', '世界上有哪些文件', 'what is in your head'])(
    'leaves alone: %s',
    async (text) => {
      expect(await callsFor(text)).toEqual([]);
    },
  );
});
