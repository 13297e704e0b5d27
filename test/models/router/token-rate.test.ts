import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Reservation, TokenRate } from '../../../src/models/router/token-rate.ts';
import { fakeClock } from '../../../src/testing/index.ts';
import { quickClock } from './quick-clock.ts';

const forever = new AbortController().signal;

function setup(perMinute = 1_000) {
  const clock = fakeClock(0);
  const rate = new TokenRate(perMinute, clock);
  const went: { name: string; at: number; reservation: Reservation }[] = [];
  const take = (name: string, tokens: number, signal = forever) =>
    rate.take(tokens, signal).then(
      (reservation) => went.push({ name, at: clock.now(), reservation }),
      () => went.push({ name: `${name} left`, at: clock.now(), reservation: { correct() {} } }),
    );
  const order = () => went.map(({ name, at }) => [name, at]);
  return { clock, rate, take, went, order };
}

describe('a rate of tokens', () => {
  it('lets calls through as long as they fit into the minute', async () => {
    const { clock, take, order } = setup();
    take('a', 600);
    await clock.advance(1_000);
    take('b', 400);
    take('c', 1);
    await clock.advance(58_999);
    expect(order()).toEqual([
      ['a', 0],
      ['b', 1_000],
    ]);
    await clock.advance(1);
    expect(order()).toContainEqual(['c', 60_000]);
  });

  it('keeps the order of arrival: a small call does not overtake a large one', async () => {
    const { clock, take, order } = setup();
    take('first', 500);
    take('large', 900);
    take('small', 1);
    await clock.advance(60_000);
    expect(order()).toEqual([
      ['first', 0],
      ['large', 60_000],
      ['small', 60_000],
    ]);
  });

  it('lets a call that is larger than all of it through alone', async () => {
    const { clock, take, order } = setup();
    take('a', 1);
    take('huge', 5_000);
    take('b', 1);
    await clock.advance(120_000);
    expect(order()).toEqual([
      ['a', 0],
      ['huge', 60_000],
      ['b', 120_000],
    ]);
  });

  it('goes by what was counted, once that is known', async () => {
    const { clock, take, went, order } = setup();
    take('a', 900);
    take('b', 900);
    await clock.advance(10);
    went[0]?.reservation.correct(100);
    await clock.advance(0);
    expect(order()).toEqual([
      ['a', 0],
      ['b', 10],
    ]);
    went[1]?.reservation.correct(1_500);
    take('c', 1);
    await clock.advance(60_010);
    expect(order().at(-1)).toEqual(['c', 60_010]);
  });

  it('lets the next one through when the one in front gives up', async () => {
    const { clock, take, order } = setup();
    const abort = new AbortController();
    take('a', 500);
    take('large', 900, abort.signal);
    take('small', 400);
    await clock.advance(5);
    expect(order()).toEqual([['a', 0]]);
    abort.abort();
    await clock.advance(0);
    expect(order()).toEqual([
      ['a', 0],
      ['large left', 5],
      ['small', 5],
    ]);
  });

  it('takes nothing for a call that is aborted already', async () => {
    const { clock, take, order } = setup();
    take('gone', 1_000, AbortSignal.abort());
    take('a', 1_000);
    await clock.advance(0);
    expect(order()).toContainEqual(['a', 0]);
  });
});

describe('whatever calls come, are aborted and counted otherwise', () => {
  const call = fc.record({
    afterMs: fc.integer({ min: 0, max: 20_000 }),
    tokens: fc.integer({ min: 1, max: 1_400 }),
    abortAfterMs: fc.option(fc.integer({ min: 0, max: 90_000 }), { nil: null }),
    used: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
  });

  it('no minute has more than the rate, all go in order, and no call waits for ever', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
        const clock = quickClock();
        const rate = new TokenRate(1_000, clock);
        const went: { i: number; at: number; tokens: number }[] = [];
        let left = 0;
        for (const [i, { afterMs, tokens, abortAfterMs, used }] of calls.entries()) {
          await clock.advance(afterMs);
          const abort = new AbortController();
          if (abortAfterMs !== null) clock.wakeAt(clock.now() + abortAfterMs, () => abort.abort());
          void rate.take(tokens, abort.signal).then(
            (reservation) => {
              const counted = used === null ? tokens : Math.round(tokens * used);
              went.push({ i, at: clock.now(), tokens: counted });
              reservation.correct(counted);
            },
            () => left++,
          );
        }
        await clock.advance(calls.length * 60_000);
        expect(went.length + left).toBe(calls.length);
        expect(went.map(({ i }) => i)).toEqual(went.map(({ i }) => i).toSorted((a, b) => a - b));
        for (const { at } of went) {
          const inside = went.filter((other) => other.at >= at && other.at < at + 60_000);
          const sum = inside.reduce((all, { tokens }) => all + tokens, 0);
          if (inside.filter(({ tokens }) => tokens > 0).length > 1) expect(sum).toBeLessThanOrEqual(1_000);
        }
      }),
      { numRuns: 200 },
    );
  });
});
