import { describe, expect, it } from 'vitest';
import { callsFor } from '../support.ts';

describe('demo edit file rule', () => {
  it.each([
    ['replace foo with bar in a.txt', { path: 'a.txt', old_text: 'foo', new_text: 'bar' }],
    ["change 'a b' to 'c, d' in a.txt", { path: 'a.txt', old_text: 'a b', new_text: 'c, d' }],
    ['in a.txt, replace foo with bar!', { path: 'a.txt', old_text: 'foo', new_text: 'bar!' }],
    [
      "replace 'a with b' with 'c in d' in a.txt",
      { path: 'a.txt', old_text: 'a with b', new_text: 'c in d' },
    ],
    ["replace foo with '' in a.txt", { path: 'a.txt', old_text: 'foo', new_text: '' }],
    [
      'replace all foo with bar in a.txt',
      { path: 'a.txt', old_text: 'foo', new_text: 'bar', replace_all: true },
    ],
  ])('edits in English: %s', async (text, args) => {
    expect(await callsFor(text)).toEqual([['edit_file', args]]);
  });

  it.each([
    ['把 a.txt 里的 foo 改成 bar', { path: 'a.txt', old_text: 'foo', new_text: 'bar' }],
    ['将 a.txt 中 foo 替换为 bar', { path: 'a.txt', old_text: 'foo', new_text: 'bar' }],
    ['在 a.txt 中把“甲，乙”改成“丙和丁”', { path: 'a.txt', old_text: '甲，乙', new_text: '丙和丁' }],
    ['把 a.txt 里的“改成”改成“x”', { path: 'a.txt', old_text: '改成', new_text: 'x' }],
    [
      '把 a.txt 里所有的 foo 都改成 bar',
      { path: 'a.txt', old_text: 'foo', new_text: 'bar', replace_all: true },
    ],
  ])('edits in Chinese: %s', async (text, args) => {
    expect(await callsFor(text)).toEqual([['edit_file', args]]);
  });

  it.each([
    'replace the battery',
    'change my mind',
    'replace butter with oil in the cake',
    "replace '' with bar in a.txt",
    '把灯泡改成红色',
  ])('leaves alone: %s', async (text) => {
    expect(await callsFor(text)).toEqual([]);
  });
});
