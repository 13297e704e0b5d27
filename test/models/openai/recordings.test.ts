import { describe, expect, it } from 'vitest';
import { differencesOf } from '../support/compare.ts';
import { byteByByte, cutAtRandom } from '../support/cuts.ts';
import { generate, type Outcome, read } from '../support/generate.ts';
import { serve, stream } from '../support/loopback.ts';
import { type Recording, recordings } from '../support/recordings.ts';

const seeds = [1, 2, 3];

function expectRecorded(outcome: Outcome, recording: Recording): void {
  expect(differencesOf(recording, outcome)).toEqual([]);
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
