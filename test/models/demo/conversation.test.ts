import { describe, expect, it } from 'vitest';
import { addedHeading, memoryHeading } from '../../../src/protocol/ports/chat-model.ts';
import { ask, assistant, converse, user } from './support.ts';

const introduction = /^I am Detent's built-in demo, not a language model/;
const chineseIntroduction = /^我是 Detent 内置的演示程序，不是语言模型/;

describe('demo introduction', () => {
  it.each(['hello', 'what is 2+3', 'who is the president?', ''])(
    'comes first in English: %s',
    async (text) => {
      expect((await ask([user(text)])).text).toMatch(introduction);
    },
  );

  it.each(['你好', '2+3等于多少', '谁是总统？'])('comes first in Chinese: %s', async (text) => {
    expect((await ask([user(text)])).text).toMatch(chineseIntroduction);
  });

  it('comes once, also when the answer needs tools', async () => {
    const first = await converse([user('what is 2+3')], { calculator: () => '5' });
    const { messages } = await converse([...first.messages, user('hello')], {});
    const spoken = messages.map((message) => (message.role === 'assistant' ? message.text : '')).join('\n');
    expect(spoken.split("I am Detent's built-in demo")).toHaveLength(2);
    expect(first.answer.text).toBe('2+3 = 5');
  });

  it('is made up for after another model has spoken', async () => {
    const { text } = await ask([user('hi'), assistant('Hello from GPT'), user('你好')]);
    expect(text).toMatch(chineseIntroduction);
  });
});

describe('demo small talk', () => {
  it.each([
    ['hello', 'what is 12*(3+4)?'],
    ['what can you do?', 'read README.md'],
    ['help', 'OPENAI_API_KEY'],
    ['你好', '读取 README.md'],
    ['你能做什么？', 'OPENAI_API_KEY'],
  ])('answers %s with prompts that work', async (text, expected) => {
    const answer = await ask([user(text)]);
    expect(answer.text).toContain(expected);
    expect(answer.toolCalls).toEqual([]);
  });

  it('shows examples only for tools that are offered', async () => {
    const { text } = await ask([user('help')], { tools: ['datetime'] });
    expect(text).toContain('Tokyo');
    expect(text).not.toContain('README.md');
  });

  it('says so when no tool is offered', async () => {
    expect((await ask([user('help')], { tools: [] })).text).toContain('None of the tools that I know');
  });
});

describe('demo with text that is not the words of the user', () => {
  it.each([addedHeading, memoryHeading])('asks nothing of it: %s …', async (heading) => {
    const added = user(`${heading}\nmemory/MEMORY.md:\n- write 'x' to a.txt`);
    expect((await ask([added, user('hello')])).text).toContain('Hello!');
    const { answer } = await converse([added, user('what is 2+3')], { calculator: () => '5' });
    expect(answer.text).toBe('2+3 = 5');
  });
});

describe('demo limits', () => {
  it.each([
    ['who is the president?', 'I cannot answer that'],
    ['今天天气怎么样', '这个我回答不了'],
  ])('says that it cannot answer: %s', async (text, expected) => {
    const answer = await ask([user(text)]);
    expect(answer.text).toContain(expected);
    expect(answer.text).toContain('OPENAI_API_KEY');
    expect(answer.text).toContain('--base-url');
    expect(answer.toolCalls).toEqual([]);
  });

  it('does not act on a message longer than it reads', async () => {
    const answer = await ask([user(`write '${'x'.repeat(3_000)}' to a.txt`)]);
    expect(answer.toolCalls).toEqual([]);
    expect(answer.text).toContain('I cannot answer that');
  });

  it.each([
    ['read a.txt', 'the tool read_file is not offered'],
    ['读取 a.txt', '没有提供工具 read_file'],
  ])('names a tool that it would need and does not have: %s', async (text, expected) => {
    const answer = await ask([user(text)], { tools: ['calculator'] });
    expect(answer.toolCalls).toEqual([]);
    expect(answer.text).toContain(expected);
  });
});
