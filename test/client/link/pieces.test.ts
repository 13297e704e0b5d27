import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClientEvent, EventOrder } from '../../../src/client/link/event-order.ts';
import { inSizes } from '../../support/size.ts';

const runId = 'run_x';
const text = (effectId: number, attempt: number, offset: number, content: string): ClientEvent => ({
  event: 'assistant.delta',
  runId,
  payload: { effectId, attempt, offset, content, contentType: 'text' },
});
const reset = (effectId: number, attempt: number): ClientEvent => ({
  event: 'assistant.reset',
  runId,
  payload: { effectId, attempt },
});
const message = (seq: number, effectId: number, content: string): ClientEvent => ({
  event: 'assistant.message',
  runId,
  seq,
  index: 0,
  last: true,
  at: 0,
  payload: {
    stepNo: 1,
    effectId,
    model: 'm',
    content,
    reasoning: '',
    refusal: '',
    finishReason: null,
    error: null,
  },
});

/** What a reader gets of these, in one line each. */
function read(...events: ClientEvent[]): string[] {
  const order = new EventOrder(0);
  return events
    .flatMap((event) => order.take(event))
    .map(({ event, payload }) => {
      if (event === 'assistant.delta') return `+${payload.offset} ${payload.content}`;
      return event === 'assistant.message' ? `= ${payload.content}` : event;
    });
}

describe('pieces of an answer', () => {
  it('come once, also when a connection brings them again from the beginning', () => {
    const got = read(text(1, 1, 0, 'ab'), text(1, 1, 0, 'a'), text(1, 1, 1, 'bcd'), message(2, 1, 'abcd'));
    expect(got).toEqual(['+0 ab', '+2 cd', '= abcd']);
  });

  it('are completed by the answer, if the connection broke before the rest', () => {
    expect(read(text(1, 1, 0, 'ab'), message(2, 1, 'abcd'))).toEqual(['+0 ab', '+2 cd', '= abcd']);
  });

  it('are taken back where they do not lead up to the answer', () => {
    const got = read(text(1, 1, 0, 'key'), message(2, 1, '[taken out]'));
    expect(got).toEqual(['+0 key', 'assistant.reset', '+0 [taken out]', '= [taken out]']);
  });

  it('are taken back when the call is made again, whether the gateway says so or not', () => {
    const again = ['+0 ab', 'assistant.reset', '+0 x', '= x'];
    expect(read(text(1, 1, 0, 'ab'), text(1, 2, 0, 'x'), message(2, 1, 'x'))).toEqual(again);
    expect(read(text(1, 1, 0, 'ab'), reset(1, 1), text(1, 2, 0, 'x'), message(2, 1, 'x'))).toEqual(again);
    expect(read(text(1, 1, 0, 'ab'), text(1, 2, 0, 'x'), reset(1, 1), message(2, 1, 'x'))).toEqual(again);
  });

  it('are taken back when pieces between are lost', () => {
    const got = read(text(1, 1, 0, 'ab'), text(1, 1, 3, 'd'), message(2, 1, 'abcd'));
    expect(got).toEqual(['+0 ab', 'assistant.reset', '+3 d', 'assistant.reset', '+0 abcd', '= abcd']);
  });

  it('that come behind their answer are dropped', () => {
    expect(read(message(2, 3, 'abcd'), text(3, 1, 0, 'ab'), text(1, 1, 0, 'x'))).toEqual(['= abcd']);
  });

  it('give the answer, wherever and however often connections break', () => {
    const answer = 'The quick brown fox jumps over the lazy dog.';
    const piece = fc.record({
      attempt: fc.integer({ min: 1, max: 3 }),
      from: fc.nat(answer.length),
      size: fc.integer({ min: 1, max: 12 }),
      isReset: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const order = new EventOrder(0);
        let shown: string | null = null;
        const events = pieces.map(({ attempt, from, size, isReset }) =>
          isReset && size > 10 ? reset(1, attempt) : text(1, attempt, from, answer.slice(from, from + size)),
        );
        for (const event of [...events, message(1, 1, answer)].flatMap((event) => order.take(event)))
          if (event.event === 'assistant.reset') shown = null;
          else if (event.event === 'assistant.delta') {
            const { offset, content } = event.payload;
            // Each piece joins to what is shown; the first one may be from the middle.
            if (shown !== null) expect(offset).toBe(shown.length);
            shown = (shown ?? '?'.repeat(offset)) + content;
          }
        if (shown !== null) expect(shown).toBe(answer);
      }),
      { numRuns: inSizes({ usual: 500, deep: 5000, full: 100_000 }) },
    );
  });
});

describe('events', () => {
  it('come once and in order, when a connection broke within a transition', () => {
    const event = (seq: number, index: number, last: boolean) =>
      ({ ...message(seq, 0, ''), index, last }) as ClientEvent;
    const order = new EventOrder(1);
    const got = [
      [1, 0, true],
      [2, 0, false],
      [2, 1, false],
      [2, 0, false],
      [2, 1, false],
      [2, 2, true],
      [2, 2, true],
      [3, 0, true],
    ].flatMap(([seq, index, last]) => order.take(event(Number(seq), Number(index), Boolean(last))));
    expect(got.map((one) => 'seq' in one && `${one.seq}/${one.index}`)).toEqual(['2/0', '2/1', '2/2', '3/0']);
    expect(order.wholeSeq).toBe(3);
  });
});
