import { describe, expect, it } from 'vitest';
import { sized } from '../../support/size.ts';
import { byteByByte, cutAtRandom } from '../support/cuts.ts';
import { serve, stream } from '../support/loopback.ts';
import { sumOf } from '../support/recordings.ts';
import { generate, type Outcome, type Recording, read, recordings, rememberedBlocks } from './support.ts';

const seeds = Array.from({ length: sized(2, 20) }, (_, i) => i + 1);

function expectRecorded({ answer, deltas }: Outcome, { expected }: Recording): void {
  const { text, reasoning, toolCalls, finishReason, usage, model } = expected;
  const cacheRead = usage.cacheRead ?? 0;
  expect(answer).toMatchObject({
    text,
    reasoning,
    refusal: '',
    toolCalls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    finishReason,
    usage: {
      inputTokens: usage.input + cacheRead + (usage.cacheWrite ?? 0),
      outputTokens: usage.output,
      cachedInputTokens: cacheRead,
    },
    model,
    error: null,
  });
  expect(sumOf(deltas)).toEqual({ text, reasoning, refusal: '', toolCalls: answer.toolCalls });
}

/** Types, signatures and encrypted thoughts of what comes back in later requests. */
function expectRemembered({ answer }: Outcome, { expected }: Recording): void {
  const isPlain = expected.blocks.every((type) => type === 'text' || type === 'tool_use');
  const blocks = rememberedBlocks(answer) ?? [];
  if (isPlain && blocks.length === 0) return;
  expect(blocks.map((block) => block.type)).toEqual(expected.blocks);
  const fieldsOf = (type: string, field: string) =>
    blocks.filter((block) => block.type === type).map((block) => block[field]);
  expect(fieldsOf('thinking', 'signature')).toEqual(expected.signatures);
  expect(fieldsOf('redacted_thinking', 'data')).toEqual(expected.redactedThinking);
}

describe('recorded streams of the messages wire', () => {
  const all = recordings();

  it('are all there', () => expect(all).toHaveLength(32));

  describe.each(all.filter(({ strict }) => strict))('$id', (recording) => {
    it('gives the recorded answer over HTTP', async () => {
      const { baseURL } = await serve((response) => stream(response, [recording.bytes]));
      const outcome = await generate(baseURL);
      expectRecorded(outcome, recording);
      expectRemembered(outcome, recording);
    });

    it.each(seeds)('gives it over HTTP when cut at random (seed %i)', async (seed) => {
      const pieces = cutAtRandom(recording.bytes, 12, seed);
      const { baseURL } = await serve((response) => stream(response, pieces));
      expectRecorded(await generate(baseURL), recording);
    });

    it('gives it byte by byte', () => {
      const outcome = read(byteByByte(recording.bytes));
      expectRecorded(outcome, recording);
      expectRemembered(outcome, recording);
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
