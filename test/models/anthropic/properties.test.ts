import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inSizes } from '../../support/size.ts';
import { cutAt } from '../support/cuts.ts';
import { sumOf } from '../support/recordings.ts';
import { event, messageEnd, messageStart, read } from './support.ts';

const numRuns = inSizes({ usual: 100, deep: 300, full: 5_000 });

const words = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '{', '}', '{"x":1}', '"北"'));
const index = fc.option(fc.nat(2), { nil: undefined });

const start = fc.oneof(
  fc.record({ type: fc.constant('text'), text: words }),
  fc.record({ type: fc.constant('thinking'), thinking: words, signature: words }),
  fc.record({
    type: fc.constantFrom('tool_use', 'server_tool_use'),
    id: fc.constantFrom('a', 'b'),
    name: fc.constantFrom('add', 'mul'),
    input: fc.constantFrom({}, { x: 1 }),
  }),
  fc.record({ type: fc.constant('type_to_come'), text: words }),
);

const delta = fc.oneof(
  fc.record({ type: fc.constant('text_delta'), text: words }),
  fc.record({ type: fc.constant('thinking_delta'), thinking: words }),
  fc.record({ type: fc.constant('signature_delta'), signature: words }),
  fc.record({ type: fc.constant('input_json_delta'), partial_json: words }),
  fc.record({ type: fc.constant('citations_delta'), citation: fc.record({ url: words }) }),
  fc.record({ type: fc.constant('delta_to_come'), words }),
);

const anyEvent = fc.oneof(
  fc.record({ type: fc.constant('content_block_start'), index, content_block: start }),
  fc.record({ type: fc.constant('content_block_delta'), index, delta }),
  fc.record({ type: fc.constant('content_block_stop'), index }),
  fc.constant({ type: 'ping' }),
);

/** A stream as a careless server would send it, with any of the three line ends. */
const streamText = fc
  .tuple(fc.array(anyEvent, { maxLength: 10 }), fc.constantFrom('\n', '\r\n', '\r'), fc.boolean())
  .map(([events, lineEnd, ends]) => {
    const text = messageStart() + events.map(event).join('') + (ends ? messageEnd() : '');
    return text.replaceAll('\n', lineEnd);
  });

/** Something in the shape of an event, with anything in every place. */
const oddEvent = fc.record(
  {
    type: fc.constantFrom(
      'message',
      'message_start',
      'content_block_start',
      'content_block_delta',
      'message_delta',
    ),
    message: fc.oneof(
      fc.jsonValue(),
      fc.record({ id: fc.jsonValue(), model: fc.jsonValue(), usage: fc.jsonValue() }),
    ),
    index: fc.jsonValue(),
    content_block: fc.oneof(start, fc.jsonValue(), fc.record({ type: fc.jsonValue(), text: fc.jsonValue() })),
    delta: fc.oneof(
      delta,
      fc.jsonValue(),
      fc.record({ type: fc.jsonValue(), text: fc.jsonValue(), stop_reason: fc.jsonValue() }),
    ),
    content: fc.oneof(fc.jsonValue(), fc.array(fc.oneof(start, fc.jsonValue()))),
    usage: fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('input_tokens', 'output_tokens'), fc.jsonValue()),
    ),
    stop_reason: fc.jsonValue(),
    stop_details: fc.jsonValue(),
    error: fc.option(fc.jsonValue(), { nil: undefined }),
  },
  { requiredKeys: ['type'] },
);

describe('any stream of the messages wire', () => {
  it('gives the same answer however its bytes are cut, and deltas that add up to it', () => {
    fc.assert(
      fc.property(streamText, fc.array(fc.nat()), (text, positions) => {
        const bytes = Buffer.from(text);
        const cuts = positions.map((position) => position % (bytes.length + 1));
        const whole = read([bytes]);
        expect(read(cutAt(bytes, cuts))).toEqual(whole);
        const { text: said, reasoning, refusal, toolCalls } = whole.answer;
        expect(sumOf(whole.deltas)).toEqual({ text: said, reasoning, refusal, toolCalls });
      }),
      { numRuns },
    );
  });

  it('never makes the reader throw, whatever JSON it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(oddEvent, fc.jsonValue())), (events) => {
        const { answer } = read(events.map((data) => `data: ${JSON.stringify(data)}\n\n`));
        expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
      }),
      { numRuns },
    );
  });
});
