import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBlocks } from '../../../src/agent/messages/blocks.ts';
import { cutToFit } from '../../../src/agent/prompt/fit.ts';
import { preview } from '../../../src/call/messages/write-message.ts';
import { estimatePrompt } from '../../../src/protocol/ports/tokens.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { answer, calls, history, result, user } from './blocks.ts';

const frame = { system: 'system', summary: null, provider: 'test/m' };

describe('a preview', () => {
  it('leaves a short text alone', () => {
    expect(preview('x'.repeat(100), 100)).toBe('x'.repeat(100));
  });

  it('keeps the beginning and the end, and says how much is missing between', () => {
    const text = preview(`${'a'.repeat(500)}${'z'.repeat(500)}`, 100);
    expect(text).toBe(`${'a'.repeat(80)}\n[… 900 characters left out …]\n${'z'.repeat(20)}`);
  });

  it('is never much longer than asked for', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 1, max: 100 }), (text, most) => {
        expect(preview(text, most).length).toBeLessThanOrEqual(most + 60);
      }),
    );
  });
});

describe('cutting a prompt to fit', () => {
  it('leaves one alone that fits', () => {
    const blocks = toBlocks([user(1, 0), answer(1, 1), user(2, 0)]);
    expect(cutToFit(blocks, frame, [], 10_000)).toHaveLength(4);
  });

  it('drops the oldest blocks first', () => {
    const blocks = toBlocks([user(1, 0, 'x'.repeat(4_000)), answer(1, 1), user(2, 0)]);
    const prompt = cutToFit(blocks, frame, [], 200);
    expect(prompt?.map(({ text }) => text)).toEqual(['system', 'a1.1', 'u2.0']);
  });

  it('keeps the user’s last words when only answers would be left', () => {
    const blocks = toBlocks([
      user(1, 0, 'what I want'),
      answer(1, 1, { toolCalls: calls(2) }),
      result(1, 2, 2, { text: 'x'.repeat(8_000) }),
      answer(1, 3, { toolCalls: calls(3) }),
      result(1, 4, 3),
    ]);
    const prompt = cutToFit(blocks, frame, [], 300);
    expect(prompt?.map(({ role, text }) => [role, text])).toEqual([
      ['system', 'system'],
      ['user', 'what I want'],
      ['assistant', 'a1.3'],
      ['tool', 'result 3'],
    ]);
  });

  it('shortens results at last', () => {
    const blocks = toBlocks([
      user(1, 0),
      answer(1, 1, { toolCalls: calls(2) }),
      result(1, 2, 2, { text: 'x'.repeat(40_000) }),
    ]);
    const prompt = cutToFit(blocks, frame, [], 1_000);
    expect(prompt?.at(-1)?.text).toContain('39000 characters left out');
  });

  it('gives up when even the newest block is too big', () => {
    expect(cutToFit(toBlocks([user(1, 0, 'x'.repeat(40_000))]), frame, [], 1_000)).toBeNull();
  });

  it('gives a valid prompt within the bound, or none', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 3_000 }), (messages, most) => {
        const blocks = toBlocks([...messages, user(99, 0)]);
        const prompt = cutToFit(blocks, frame, [], most);
        if (!prompt) return;
        expect(chatRuleViolations(prompt)).toEqual([]);
        expect(estimatePrompt(prompt, [])).toBeLessThanOrEqual(most);
      }),
    );
  });
});
