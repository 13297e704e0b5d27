import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimatePrompt, estimateTokens } from '../../../src/protocol/ports/tokens.ts';

describe('the estimate of tokens', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['hello world', 2],
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['北京市', 3],
    ['☀', 1],
    // No words: about two characters each.
    ['9f86d081884c7d659a2feaa0c55ad015', 16],
  ])('of %j is %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it('is at most the length of a text, and at least one for words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(estimateTokens(text)).toBeLessThanOrEqual(text.length);
        if (/\w/.test(text)) expect(estimateTokens(text)).toBeGreaterThan(0);
      }),
    );
  });

  it('is the same for a long text that was seen before', () => {
    const text = 'one two three '.repeat(1_000);
    expect([estimateTokens(text), estimateTokens(text)]).toEqual([3_000, 3_000]);
  });

  it('of a prompt counts messages, calls and tools', () => {
    const user = { role: 'user', text: 'word '.repeat(10) } as const;
    const call = { id: '1', name: 'look', arguments: '{}' };
    const answer = { role: 'assistant', text: '', reasoning: '', toolCalls: [call] } as const;
    const calling = { ...answer, toolCalls: [call] };
    const spec = { name: 'look', description: 'word '.repeat(100), parameters: {} };
    expect(estimatePrompt([user], [])).toBe(14);
    expect(estimatePrompt([user, calling], [])).toBe(14 + 4 + 2 + 4);
    expect(estimatePrompt([user], [spec])).toBeGreaterThan(14 + 100);
    expect(estimatePrompt([], [])).toBe(0);
  });
});
