import { describe, expect, it } from 'vitest';
import { ask, callsFor, user } from '../support.ts';

describe('demo memory write rule', () => {
  it.each([
    ['remember that my name is Ada', 'my name is Ada'],
    ['Please remember: the code is 42.', 'the code is 42'],
    ['remember my birthday is in May', 'my birthday is in May'],
    ["don't forget that salt and pepper are out", 'salt and pepper are out'],
    ['keep in mind that I like tea', 'I like tea'],
  ])('writes in English: %s', async (text, line) => {
    expect(await callsFor(text)).toEqual([['memory_write', { lines: [line] }]]);
  });

  it.each([
    ['请记住我叫小明', '我叫小明'],
    ['记住：我喜欢喝茶', '我喜欢喝茶'],
    ['帮我记下周五开会', '周五开会'],
  ])('writes in Chinese: %s', async (text, line) => {
    expect(await callsFor(text)).toEqual([['memory_write', { lines: [line] }]]);
  });

  it.each(['remember me', 'I will remember that day', 'remember', '记住', '他记住了名字'])(
    'leaves alone: %s',
    async (text) => {
      expect(await callsFor(text)).toEqual([]);
    },
  );

  it('writes nothing when part of the message was not understood', async () => {
    const { toolCalls } = await ask([user('who is the president? Remember that I like tea')]);
    expect(toolCalls).toEqual([]);
  });
});
