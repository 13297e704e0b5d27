import { describe, expect, it } from 'vitest';
import { sized } from '../../support/size.ts';
import { differencesOf } from '../support/compare.ts';
import { byteByByte, cutAtRandom } from '../support/cuts.ts';
import type { Outcome } from '../support/generate.ts';
import { serve, stream } from '../support/loopback.ts';
import { messagesRecordings, type Recording } from '../support/recordings.ts';
import { generate, read } from './support.ts';

const seeds = Array.from({ length: sized(2, 20) }, (_, i) => i + 1);

function expectRecorded(outcome: Outcome, recording: Recording): void {
  expect(differencesOf(recording, outcome)).toEqual([]);
}

describe('recorded streams of the messages wire', () => {
  const all = messagesRecordings();

  it('are all there', () => expect(all).toHaveLength(32));

  describe.each(all.filter(({ strict }) => strict))('$id', (recording) => {
    it('gives the recorded answer over HTTP', async () => {
      const { baseURL } = await serve((response) => stream(response, [recording.bytes]));
      const outcome = await generate(baseURL);
      expectRecorded(outcome, recording);
    });

    it.each(seeds)('gives it over HTTP when cut at random (seed %i)', async (seed) => {
      const pieces = cutAtRandom(recording.bytes, 12, seed);
      const { baseURL } = await serve((response) => stream(response, pieces));
      expectRecorded(await generate(baseURL), recording);
    });

    it('gives it byte by byte', () => {
      const outcome = read(byteByByte(recording.bytes));
      expectRecorded(outcome, recording);
    });
  });

  describe.each(all.filter(({ strict }) => !strict))('$id, which breaks the rules', (recording) => {
    it('gives its text once, over HTTP and byte by byte', async () => {
      const { baseURL } = await serve((response) => stream(response, [recording.bytes]));
      for (const { answer } of [await generate(baseURL), read(byteByByte(recording.bytes))])
        expect(answer).toMatchObject({
          text: recording.expected.text,
          finishReason: 'end_turn',
          error: null,
        });
    });
  });
});
