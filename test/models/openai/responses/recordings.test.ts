import { describe, expect, it } from 'vitest';
import { recordings } from '../../support/recordings.ts';
import { read } from './support.ts';

describe('recorded Responses streams', () => {
  const all = recordings('openai-responses');

  describe.each(all)('$id', (recording) => {
    it('gives the recorded answer from the last event alone, save what the pieces say otherwise', () => {
      const last = new TextDecoder().decode(recording.bytes).trimEnd().split('\n').at(-1);
      const { answer } = read([`${last}\n\n`]);
      const whole = read([recording.bytes]).answer;
      expect(answer.toolCalls).toEqual(whole.toolCalls);
      expect(answer.reasoning).toBe(whole.reasoning);
      expect(whole.finish).toBe(whole.toolCalls.length > 0 ? 'toolCalls' : 'stop');
      expect(answer.text.startsWith(whole.text) || recording.id.endsWith('phase-1')).toBe(true);
      expect({ ...answer, text: '' }).toMatchObject({
        finishReason: whole.finishReason,
        usage: whole.usage,
        model: whole.model,
      });
    });

    it('says no more than was said when it breaks off anywhere, and fails', () => {
      const whole = read([recording.bytes]).answer;
      for (let part = 1; part < 10; part++) {
        const cut = recording.bytes.subarray(0, Math.floor((recording.bytes.length * part) / 10));
        const { answer } = read([cut]);
        expect(answer.error).toMatchObject({ kind: 'network', retryable: true });
        expect(whole.text.startsWith(answer.text)).toBe(true);
        expect(whole.reasoning.startsWith(answer.reasoning)).toBe(true);
        for (const [i, call] of answer.toolCalls.entries())
          expect(whole.toolCalls[i]?.arguments.startsWith(call.arguments)).toBe(true);
      }
    });
  });
});
