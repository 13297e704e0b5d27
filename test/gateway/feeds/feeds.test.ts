import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Feeds, type Sink } from '../../../src/gateway/feeds/feeds.ts';
import type { Outgoing } from '../../../src/gateway/feeds/outgoing.ts';
import type { Detent, RunDelta, RunEvent } from '../../../src/index.ts';
import { DetentError } from '../../../src/protocol/error.ts';
import { sized } from '../../support/size.ts';

type Item = RunEvent | RunDelta;

/** One transition of a made-up run: how many events it has, and how long the pieces are of the answer that streams before it. */
interface Transition {
  events: number;
  pieces: readonly number[];
}

type Move =
  | { do: 'write' }
  | { do: 'show'; items: number }
  | { do: 'break' }
  | { do: 'join'; afterSeq: number; pace: number }
  | { do: 'leave'; reader: number }
  | { do: 'wait' };

const transition = fc.record({
  events: fc.integer({ min: 1, max: 3 }),
  pieces: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
});
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ do: fc.constant('write' as const) }),
  fc.record({ do: fc.constant('show' as const), items: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ do: fc.constant('break' as const) }),
  fc.record({
    do: fc.constant('join' as const),
    afterSeq: fc.integer({ min: 0, max: 12 }),
    pace: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ do: fc.constant('leave' as const), reader: fc.nat(9) }),
  fc.record({ do: fc.constant('wait' as const) }),
);

/** A run whose log grows, and is shown to followers, when the test says so. */
class FakeRun {
  readonly #all: readonly Item[][];
  /** Transitions in the log, and items of all that followers may see: never more than the log has, but for pieces. */
  written = 0;
  shown = 0;
  #followers = new Set<{ wake(): void; isBroken: boolean }>();

  constructor(transitions: readonly Transition[]) {
    this.#all = transitions.map(({ events, pieces }, i) =>
      itemsOf(i + 1, events, pieces, transitions.length),
    );
  }

  get transitions(): number {
    return this.#all.length;
  }

  get followers(): number {
    return this.#followers.size;
  }

  /** The events of the transitions in the log. */
  log(afterSeq: number): RunEvent[] {
    return this.#all
      .slice(0, this.written)
      .flat()
      .filter(isEvent)
      .filter(({ seq }) => seq > afterSeq);
  }

  write(): void {
    this.written = Math.min(this.written + 1, this.#all.length);
  }

  show(items: number): void {
    this.shown = Math.min(this.shown + items, this.#visible().length);
    for (const { wake } of this.#followers) wake();
  }

  /** All that the log has, and the pieces of the answer that streams now. */
  #visible(): Item[] {
    const streaming = (this.#all[this.written] ?? []).filter((item) => !isEvent(item));
    return [...this.#all.slice(0, this.written).flat(), ...streaming];
  }

  break(): void {
    for (const follower of this.#followers) {
      follower.isBroken = true;
      follower.wake();
    }
  }

  async *follow(afterSeq: number): AsyncGenerator<Item> {
    const follower = { wake: () => {}, isBroken: false };
    this.#followers.add(follower);
    try {
      for (let i = 0; ; ) {
        if (follower.isBroken) throw new Error('the feed broke');
        const item = this.#visible()[i];
        if (item === undefined && this.written === this.#all.length) return;
        if (item === undefined || i >= this.shown) {
          await new Promise<void>((resolve) => {
            follower.wake = resolve;
          });
          continue;
        }
        i++;
        if (!isEvent(item) || item.seq > afterSeq) yield item;
      }
    } finally {
      this.#followers.delete(follower);
    }
  }

  get detent(): Detent {
    const log = (afterSeq: number) => this.log(afterSeq);
    return {
      runs: {
        subscribe: (_: string, { afterSeq = 0 }) => this.#leavable(this.follow(afterSeq)),
        readTimeline: async function* (this: void, _: string, afterSeq: number) {
          yield* log(afterSeq);
        },
      },
    } as unknown as Detent;
  }

  /** As the real one: whoever waits for the next item can leave. */
  #leavable(items: AsyncGenerator<Item>): AsyncIterable<Item> {
    const leave = () => {
      this.break();
      return items.return(undefined);
    };
    return { [Symbol.asyncIterator]: () => ({ next: () => items.next(), return: leave }) };
  }
}

function isEvent(item: Item): item is RunEvent {
  return 'seq' in item;
}

/** The answer that streams, and then the transition that has it as a whole. */
function itemsOf(seq: number, events: number, pieces: readonly number[], last: number): Item[] {
  let offset = 0;
  const runId = 'run_1';
  const streamed = pieces.map((length): Item => {
    const payload = {
      effectId: seq,
      attempt: 1,
      offset,
      content: 'x'.repeat(length),
      contentType: 'text' as const,
    };
    offset += length;
    return { event: 'assistant.delta', runId, payload };
  });
  const logged = Array.from({ length: events }, (_, index) => {
    const isAnswer = index === 0 && pieces.length > 0;
    const event = isAnswer
      ? 'assistant.message'
      : seq === last && index === events - 1
        ? 'lifecycle.end'
        : 'usage';
    return { event, runId, seq, index, last: index === events - 1, at: seq, payload: { effectId: seq } };
  });
  return [...streamed, ...(logged as unknown as RunEvent[])];
}

class Reader implements Sink {
  readonly got: Item[] = [];
  readonly afterSeq: number;
  readonly #pace: number;
  ended = 0;
  stop = () => {};

  constructor(afterSeq: number, pace: number) {
    this.afterSeq = afterSeq;
    this.#pace = pace;
  }

  send({ event }: Outgoing): void {
    this.got.push(event);
  }

  async #ready(): Promise<boolean> {
    for (let i = 0; i < this.#pace; i++) await null;
    return true;
  }

  ready(): boolean | Promise<boolean> {
    return this.#pace === 0 || this.#ready();
  }

  end(): void {
    this.ended++;
  }

  get events(): RunEvent[] {
    return this.got.filter(isEvent);
  }

  /** Pieces that came behind the whole answer, twice, or with a gap since the first one. */
  get wrongPieces(): Item[] {
    const over = new Set<number>();
    const next = new Map<number, number>();
    return this.got.filter((item) => {
      if (isEvent(item)) {
        if (item.event === 'assistant.message') over.add(item.payload.effectId);
        return false;
      }
      if (item.event === 'assistant.reset' || item.event === 'tool.client_claimed') return true;
      const { effectId, offset, content } = item.payload;
      const isRight = !over.has(effectId) && offset === (next.get(effectId) ?? 0);
      next.set(effectId, offset + content.length);
      return !isRight;
    });
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const aMillisecond = () => new Promise((resolve) => setTimeout(resolve, 1));
/** Feeds that broke begin anew at once. */
const againMs = 0;

it('gives each reader exactly the events behind its seq, in order, however readers and feeds come and go', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(transition, { minLength: 1, maxLength: 8 }),
      fc.array(move, { maxLength: 40 }),
      async (transitions, moves) => {
        const run = new FakeRun(transitions);
        const feeds = new Feeds(run.detent, { againMs });
        const readers: Reader[] = [];
        const gone: Reader[] = [];
        const join = (afterSeq: number, pace: number) => {
          const reader = new Reader(Math.min(afterSeq, run.written), pace);
          reader.stop = feeds.watch(
            { tenantId: 1, userId: null, scopes: [] },
            'run_1',
            reader.afterSeq,
            reader,
          );
          readers.push(reader);
        };
        for (const next of moves) {
          if (next.do === 'write') run.write();
          else if (next.do === 'show') run.show(next.items);
          else if (next.do === 'break') run.break();
          else if (next.do === 'join') join(next.afterSeq, next.pace);
          else if (next.do === 'leave') {
            const [reader] = readers.splice(next.reader % (readers.length || 1), 1);
            reader?.stop();
            if (reader) gone.push(reader);
          } else await settled();
        }
        for (const _ of transitions) run.write();
        for (let i = 0; i < 200 && readers.some(({ ended }) => ended === 0); i++) {
          run.show(1_000);
          await aMillisecond();
        }
        for (const reader of readers) {
          expect(reader.events).toEqual(run.log(reader.afterSeq));
          expect(reader.ended).toBe(1);
        }
        for (const reader of gone)
          expect(reader.events).toEqual(run.log(reader.afterSeq).slice(0, reader.events.length));
        for (const reader of [...readers, ...gone]) expect(reader.wrongPieces).toEqual([]);
        for (const reader of readers) reader.stop();
        await settled();
        expect([feeds.size, run.followers]).toEqual([0, 0]);
      },
    ),
    { numRuns: sized(400, 20_000) },
  );
});

it('ends a reader whose log cannot be read, and leaves the run when that was the last one', async () => {
  const run = new FakeRun([{ events: 1, pieces: [] }]);
  const { detent } = run;
  detent.runs.readTimeline = async function* () {
    throw new DetentError('DATABASE_BUSY', 'busy', { retryable: true });
  };
  const feeds = new Feeds(detent, { againMs });
  const reader = new Reader(0, 0);
  feeds.watch({ tenantId: 1, userId: null, scopes: [] }, 'run_1', 0, reader);
  await settled();
  await settled();
  expect([reader.ended, feeds.size, run.followers]).toEqual([1, 0, 0]);
});
