import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import { chatRuleViolations, isPrefix } from '../../support/openai-rules.ts';

const system: PromptMessage = { role: 'system', text: 's' };
const user: PromptMessage = { role: 'user', text: 'u' };
const said: PromptMessage = { role: 'assistant', text: 'a', reasoning: '', toolCalls: [] };
const calling = (...ids: string[]): PromptMessage => ({
  role: 'assistant',
  text: '',
  reasoning: '',
  toolCalls: ids.map((id) => ({ id, name: 't', arguments: '{}' })),
});
const result = (toolCallId: string, name = 't'): PromptMessage => ({
  role: 'tool',
  toolCallId,
  name,
  text: '',
  isError: false,
});

describe('the rules of the chat wire', () => {
  it.each<[string, PromptMessage[]]>([
    ['a question', [user]],
    ['a system prompt and a question', [system, user]],
    ['a conversation', [system, user, said, user]],
    ['calls with their results in order', [user, calling('x', 'y'), result('x'), result('y')]],
    ['two rounds', [user, calling('x'), result('x'), calling('y'), result('y'), user]],
  ])('allow %s', (_, messages) => {
    expect(chatRuleViolations(messages)).toEqual([]);
  });

  it.each<[string, PromptMessage[]]>([
    ['nothing', []],
    ['a system prompt that comes late', [user, system, user]],
    ['two system prompts', [system, system, user]],
    ['an answer at the end', [user, said]],
    ['an empty answer', [user, calling(), user]],
    ['an answer of white space', [user, { ...calling(), text: ' \n' } as PromptMessage, user]],
    ['a call without a result', [user, calling('x'), user]],
    ['a call whose result is missing among others', [user, calling('x', 'y'), result('y'), user]],
    ['results in another order', [user, calling('x', 'y'), result('y'), result('x')]],
    ['a result too many', [user, calling('x'), result('x'), result('x')]],
    ['a result without a call', [user, result('x')]],
    ['a result that comes after the user', [user, calling('x'), user, result('x')]],
    ['a call without an id', [user, calling(''), result('')]],
    ['an id that is used twice', [user, calling('x'), result('x'), calling('x'), result('x')]],
    ['a result under another name', [user, calling('x'), result('x', 'other')]],
  ])('refuse %s', (_, messages) => {
    expect(chatRuleViolations(messages)).not.toEqual([]);
  });
});

describe('a prefix', () => {
  it('is the beginning of a prompt, unchanged', () => {
    expect(isPrefix([system, user], [system, user, said])).toBe(true);
    expect(isPrefix([system, user, said], [system, user])).toBe(false);
    expect(isPrefix([system, { ...user, text: 'x' }], [system, user])).toBe(false);
  });
});
