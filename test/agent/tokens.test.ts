import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimatePrompt, estimateTokens } from '../../src/agent/tokens.ts';

describe('the estimate of tokens', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['x'.repeat(4_000), 1_000],
    ['北京市', 3],
    ['北京 abc', 3],
  ])('of %j is %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it('never shrinks when a text grows, and is at most its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(Math.max(estimateTokens(a), estimateTokens(b)));
        expect(estimateTokens(a)).toBeLessThanOrEqual(a.length);
      }),
    );
  });

  it('of a prompt counts messages, calls and tools', () => {
    const user = { role: 'user', text: 'x'.repeat(40) } as const;
    const call = { id: '1', name: 'look', arguments: '{"at":"it"}' };
    const answer = { role: 'assistant', text: '', reasoning: '', toolCalls: [call] } as const;
    const calling = { ...answer, toolCalls: [call] };
    const spec = { name: 'look', description: 'x'.repeat(400), parameters: {} };
    expect(estimatePrompt([user], [])).toBe(14);
    expect(estimatePrompt([user, calling], [])).toBe(14 + 4 + 4 + 4);
    expect(estimatePrompt([user], [spec])).toBeGreaterThan(14 + 100);
    expect(estimatePrompt([], [])).toBe(0);
  });
});
