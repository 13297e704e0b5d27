import { describe, expect, it } from 'vitest';
import { byteByByte, cutAtRandom } from '../support/cuts.ts';
import { generate, type Outcome, read } from '../support/generate.ts';
import { serve, stream } from '../support/loopback.ts';
import { expectedFacts, facts, type Recording, recordings, sumOf } from '../support/recordings.ts';

const seeds = [1, 2, 3];

function expectRecorded({ answer, deltas }: Outcome, recording: Recording): void {
  expect(facts(answer)).toEqual(expectedFacts(recording));
  const { text, reasoning, refusal, toolCalls } = answer;
  expect(sumOf(deltas)).toEqual({ text, reasoning, refusal, toolCalls });
  const { error } = recording.expected;
  if (error) expect(answer.error?.message).toContain(error.message);
  else expect(answer.error).toBeNull();
}

describe('recorded chat-completions streams', () => {
  const all = recordings();

  it('are all there', () => expect(all).toHaveLength(93));

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
  });
});
