import { describe, expect, it } from 'vitest';
import { summaryRequestPrefix } from '../../../src/protocol/ports.ts';
import { ask, assistant, user } from './support.ts';

const request = user(`${summaryRequestPrefix} in at most 500 words.`);

describe('demo summary for the runtime', () => {
  it('extracts the beginning of each message of the user, without the introduction', async () => {
    const messages = [user('read\na.txt'), assistant('done'), user('x'.repeat(300)), assistant('?'), request];
    const { text } = await ask(messages, { tools: [] });
    expect(text).toBe(`The user asked:\n- read a.txt\n- ${'x'.repeat(100)}`);
  });

  it('leaves out what the demo says of itself', async () => {
    const transcript = user(
      "User: what is 2+3?\n\nAssistant: I am Detent's built-in demo, not a language model: I follow a few fixed rules and call real tools. Calling calculator.\n\nAssistant: 2+3 = 5",
    );
    const { text } = await ask([transcript, request], { tools: [] });
    expect(text).toBe('The user asked:\n- what is 2+3?\n- 2+3 = 5');
  });

  it('keeps to the last fifty messages', async () => {
    const messages = Array.from({ length: 60 }, (_, index) => user(`问题 ${index}`));
    const { text } = await ask([...messages, request], { tools: [] });
    expect(text).toContain('用户问过：\n- 问题 10\n');
    expect(text.split('\n- ')).toHaveLength(51);
  });

  it('has something to say when there is nothing to summarise', async () => {
    expect((await ask([request], { tools: [] })).text).toBe('The user asked:\n(nothing)');
  });

  it('is not given to a person, whose requests come with tools', async () => {
    expect((await ask([request])).text).toContain('I cannot answer that');
  });
});
