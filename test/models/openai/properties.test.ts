import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inSizes } from '../../support/size.ts';
import { cutAt } from '../support/cuts.ts';
import { chunk, done, event, read } from './support.ts';

const numRuns = inSizes({ usual: 100, deep: 300, full: 5_000 });

const piece = fc.record({
  index: fc.option(fc.nat(3), { nil: undefined }),
  id: fc.option(fc.constantFrom('', 'a', 'b'), { nil: undefined }),
  function: fc.record({
    name: fc.option(fc.constantFrom('', 'add', 'mul'), { nil: undefined }),
    arguments: fc.option(fc.constantFrom('', '{', '}', '{"x":1}', '"北"'), { nil: undefined }),
  }),
});

const delta = fc.record(
  {
    content: fc.option(fc.string({ unit: 'grapheme' })),
    reasoning: fc.option(fc.string({ unit: 'grapheme' })),
    refusal: fc.option(fc.string()),
    tool_calls: fc.array(piece, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

/** A stream as a server would send it, with any of the three line ends. */
const streamText = fc
  .tuple(fc.array(delta, { maxLength: 8 }), fc.constantFrom('\n', '\r\n', '\r'), fc.boolean())
  .map(([deltas, lineEnd, ends]) => {
    const events = deltas.map((one) => chunk(one)).concat(ends ? [chunk({}, { finish: 'stop' }), done] : []);
    return events.join('').replaceAll('\n', lineEnd);
  });

/** Something in the shape of a chunk, with anything in every place. */
const oddChunk = fc.record(
  {
    model: fc.jsonValue(),
    usage: fc.jsonValue(),
    error: fc.jsonValue(),
    choices: fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.record(
          {
            index: fc.jsonValue(),
            finish_reason: fc.jsonValue(),
            message: fc.jsonValue(),
            delta: fc.oneof(
              fc.jsonValue(),
              fc.dictionary(
                fc.constantFrom(
                  'content',
                  'refusal',
                  'reasoning',
                  'reasoning_content',
                  'reasoning_details',
                  'tool_calls',
                ),
                fc.oneof(fc.jsonValue(), fc.array(fc.oneof(piece, fc.jsonValue()))),
              ),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
    ),
  },
  { requiredKeys: [] },
);

describe('any stream', () => {
  it('gives the same answer however its bytes are cut', () => {
    fc.assert(
      fc.property(streamText, fc.array(fc.nat()), (text, positions) => {
        const bytes = Buffer.from(text);
        const cuts = positions.map((position) => position % (bytes.length + 1));
        expect(read(cutAt(bytes, cuts))).toEqual(read([bytes]));
      }),
      { numRuns },
    );
  });

  it('never makes the reader throw, whatever JSON it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(oddChunk, fc.jsonValue())), (chunks) => {
        const { answer } = read(chunks.map(event));
        expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
      }),
      { numRuns },
    );
  });
});
