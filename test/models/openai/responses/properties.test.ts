import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inSizes } from '../../../support/size.ts';
import { cutAt } from '../../support/cuts.ts';
import { sumOf } from '../../support/recordings.ts';
import { event as jsonEvent } from '../support.ts';
import {
  added,
  argumentsDelta,
  asMessage,
  completed,
  created,
  done,
  event,
  functionCall,
  message,
  read,
  reasoning,
  textDelta,
} from './support.ts';

const numRuns = inSizes({ usual: 100, deep: 300, full: 5_000 });

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const argumentsText = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));

/** An item, and its events in order: announced, in pieces, ended; each of these may be missing. */
const item = fc
  .record({
    kind: fc.constantFrom('message', 'reasoning', 'function_call'),
    pieces: fc.array(text, { minLength: 1, maxLength: 4 }),
    args: argumentsText,
    isAnnounced: fc.boolean(),
    isStreamed: fc.boolean(),
    isEnded: fc.boolean(),
  })
  .map(({ kind, pieces, args, ...shape }) => ({ kind, pieces, args, words: pieces.join(''), ...shape }));

type Item = typeof item extends fc.Arbitrary<infer T> ? T : never;

function describeItem({ kind, words, args }: Item, index: number): Record<string, unknown> {
  if (kind === 'message') return message(words, { id: `msg_${index}` });
  if (kind === 'function_call') return functionCall(`call_${index}`, 'tool', args);
  return reasoning({ id: `rs_${index}`, content: [{ type: 'reasoning_text', text: words }] });
}

function eventsOf(one: Item, index: number): string[] {
  const whole = describeItem(one, index);
  const empty = { ...whole, ...(one.kind === 'function_call' ? { arguments: '' } : { content: [] }) };
  const half = Math.floor(one.args.length / 2);
  const pieces =
    one.kind === 'message'
      ? one.pieces.map((piece) => textDelta(index, piece))
      : one.kind === 'function_call'
        ? [one.args.slice(0, half), one.args.slice(half)].map((piece) => argumentsDelta(index, piece))
        : one.pieces.map((delta) =>
            event('response.reasoning_text.delta', { output_index: index, content_index: 0, delta }),
          );
  return [
    ...(one.isAnnounced ? [added(index, empty)] : []),
    ...(one.isStreamed ? pieces : []),
    ...(one.isEnded ? [done(index, whole)] : []),
  ];
}

/** A response, with the events of its items mixed in any order that keeps each item's own. */
const streamed = fc
  .tuple(fc.array(item, { maxLength: 5 }), fc.array(fc.nat(), { minLength: 60, maxLength: 60 }))
  .map(([items, picks]) => {
    const queues = items.map(eventsOf);
    const mixed: string[] = [];
    for (const pick of picks) {
      const waiting = queues.filter((queue) => queue.length > 0);
      const next = waiting[pick % Math.max(1, waiting.length)]?.shift();
      if (next !== undefined) mixed.push(next);
    }
    return { items, events: [created, ...mixed, ...queues.flat(), completed(items.map(describeItem))] };
  });

const slot = fc.constantFrom(
  'output_text',
  'refusal',
  'reasoning_text',
  'reasoning_summary_text',
  'function_call_arguments',
  'mcp_call_arguments',
);

/** Something in the shape of an event, with anything in every place. */
const oddEvent = fc.record(
  {
    type: fc.oneof(
      fc.constantFrom(
        'response.created',
        'response.completed',
        'response.incomplete',
        'response.failed',
        'response.done',
      ),
      fc.constantFrom(
        'response.output_item.added',
        'response.output_item.done',
        'response.content_part.done',
        'error',
      ),
      slot.map((name) => `response.${name}.delta`),
      slot.map((name) => `response.${name}.done`),
      fc.jsonValue(),
    ),
    output_index: fc.oneof(fc.nat(3), fc.jsonValue()),
    content_index: fc.jsonValue(),
    item_id: fc.oneof(fc.constantFrom('a', 'b'), fc.jsonValue()),
    delta: fc.jsonValue(),
    text: fc.jsonValue(),
    part: fc.jsonValue(),
    arguments: fc.jsonValue(),
    item: fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          type: fc.oneof(fc.constantFrom('message', 'reasoning', 'function_call', 'x_call'), fc.jsonValue()),
          id: fc.oneof(fc.constantFrom('a', 'b'), fc.jsonValue()),
          call_id: fc.jsonValue(),
          name: fc.jsonValue(),
          arguments: fc.jsonValue(),
          content: fc.oneof(
            fc.jsonValue(),
            fc.array(fc.record({ type: fc.constantFrom('output_text', 'refusal'), text: fc.jsonValue() })),
          ),
          summary: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    ),
    response: fc.oneof(
      fc.jsonValue(),
      fc.record({
        id: fc.jsonValue(),
        status: fc.jsonValue(),
        output: fc.jsonValue(),
        usage: fc.jsonValue(),
        error: fc.jsonValue(),
        model: fc.jsonValue(),
        incomplete_details: fc.jsonValue(),
      }),
    ),
  },
  { requiredKeys: [] },
);

describe('any stream', () => {
  it('says everything once, in whatever order the events of its items come and whichever are missing', () => {
    fc.assert(
      fc.property(streamed, ({ items, events }) => {
        const { answer, deltas } = read(events);
        const words = (kind: string) => items.filter((one) => one.kind === kind).map((one) => one.words);
        expect([...answer.text].sort().join('')).toBe([...words('message').join('')].sort().join(''));
        expect([...answer.reasoning].sort().join('')).toBe([...words('reasoning').join('')].sort().join(''));
        const calls = items.flatMap((one, i) =>
          one.kind === 'function_call' ? [{ id: `call_${i}`, name: 'tool', arguments: one.args }] : [],
        );
        const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
        expect([...answer.toolCalls].sort(byId)).toEqual(calls);
        const { text, reasoning, refusal, toolCalls } = answer;
        expect(sumOf(deltas)).toEqual({ text, reasoning, refusal, toolCalls });
        expect(answer.error).toBeNull();
      }),
      { numRuns },
    );
  });

  it('gives the same answer however its bytes are cut, with any line end', () => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(streamed, lineEnd, fc.array(fc.nat()), ({ events }, end, positions) => {
        const bytes = Buffer.from(events.join('').replaceAll('\n', end));
        const cuts = positions.map((position) => position % (bytes.length + 1));
        expect(read(cutAt(bytes, cuts))).toEqual(read([bytes]));
      }),
      { numRuns },
    );
  });

  it('never makes the reader throw, whatever JSON it holds, and what is remembered can be stored', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(oddEvent, fc.jsonValue())), (events) => {
        const { answer } = read(events.map(jsonEvent));
        expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
        expect(asMessage(answer).role).toBe('assistant');
      }),
      { numRuns },
    );
  });
});
