import { describe, expect, it } from 'vitest';
import { sayingOf } from '../../../src/runs/decisions/decisions.ts';

describe('what an event says of a call', () => {
  it.each([
    [{ type: 'tool.asked', question: { text: 'Which one?' } }, 'c3 asks: Which one?'],
    [{ type: 'confirm.decide', verdict: 'reject' }, 'c3 reject'],
    [{ type: 'confirm.decide', verdict: 'answer', answer: 'the red one' }, 'c3 answer: the red one'],
    [{ type: 'confirm.decide', verdict: 'answer', answer: { red: true } }, 'c3 answer: {"red":true}'],
    [{ type: 'confirm.decide', verdict: 'answer', given: { ok: true } }, 'c3 result of the client'],
    [{ type: 'subrun.parked' }, 'c3'],
  ])('%j', (event, words) => {
    expect(sayingOf(3, event)).toBe(words);
  });
});
