import { describe, expect, it } from 'vitest';
import { StreamedAnswer } from '../../../src/cli/terminal/streamed-answer.ts';

describe('an answer as it streams', () => {
  it('begins with the first piece of a model call, without the words of the one before', () => {
    const answer = new StreamedAnswer();
    expect([answer.begins(1), answer.begins(1)]).toEqual([true, false]);
    answer.shown = 'one';
    answer.held = '…';
    expect(answer.begins(2)).toBe(true);
    expect([answer.shown, answer.held]).toEqual(['', '']);
  });

  it('is taken back when it breaks off, if a person has seen words of it', () => {
    const answer = new StreamedAnswer();
    answer.begins(1);
    answer.shown = 'half';
    expect(answer.breaksOff(0)).toBe(false);
    expect([answer.breaksOff(1), answer.shown]).toEqual([true, '']);
    expect(answer.breaksOff(1)).toBe(false);
    expect(answer.begins(1)).toBe(true);
    answer.held = 'held';
    expect([answer.breaksOff(1), answer.held]).toEqual([false, '']);
  });
});
