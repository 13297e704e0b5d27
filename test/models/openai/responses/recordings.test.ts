import { describe, expect, it } from 'vitest';
import { differencesOf } from '../../support/compare.ts';
import { byteByByte, cutAtRandom } from '../../support/cuts.ts';
import type { Outcome } from '../../support/generate.ts';
import { serve, stream } from '../../support/loopback.ts';
import { type Recording, recordings } from '../../support/recordings.ts';
import { generate, read } from './support.ts';

const seeds = [1, 2, 3];

function expectRecorded(outcome: Outcome, recording: Recording): void {
  expect(differencesOf(recording, outcome)).toEqual([]);
  const { finish, toolCalls } = outcome.answer;
  expect(finish).toBe(toolCalls.length > 0 ? 'toolCalls' : 'stop');
}

describe('recorded Responses streams', () => {
  const all = recordings('openai-responses');

  it('are all there', () => expect(all).toHaveLength(37));

  describe.each(all)('$id', (recording) => {
    it('gives the recorded answer over HTTP', async () => {
      const { baseURL } = await serve((response) => stream(response, [recording.bytes]));
      expectRecorded(await generate(baseURL), recording);
    });

    it.each(seeds)('gives it over HTTP when cut at random (seed %i)', async (seed) => {
      const pieces = cutAtRandom(recording.bytes, 12, seed);
      const { baseURL } = await serve((response) => stream(response, pieces));
      expectRecorded(await generate(baseURL), recording);
    });

    it('gives it byte by byte', () => expectRecorded(read(byteByByte(recording.bytes)), recording));

    it('gives it from the last event alone, save what the pieces say otherwise', () => {
      const last = new TextDecoder().decode(recording.bytes).trimEnd().split('\n').at(-1);
      const { answer } = read([`${last}\n\n`]);
      const whole = read([recording.bytes]).answer;
      expect(answer.toolCalls).toEqual(whole.toolCalls);
      expect(answer.reasoning).toBe(whole.reasoning);
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
