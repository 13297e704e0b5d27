import { describe, expect, it, vi } from 'vitest';
import { createLimiter, once, Rounds } from '../../src/text/limiter.ts';

const never = () => new AbortController().signal;
const turns = () => new Promise((resolve) => setImmediate(resolve));

describe('the limiter of one process', () => {
  it('hands a place over in the order of asking', async () => {
    const limiter = createLimiter({ k: 1 });
    const order: number[] = [];
    const release = await limiter.acquire('k', never());
    const waiting = [1, 2, 3].map(async (n) => {
      const free = await limiter.acquire('k', never());
      order.push(n);
      free();
    });
    await turns();
    expect(order).toEqual([]);
    release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('says whether the next one would have to wait', async () => {
    const limiter = createLimiter({ k: 1 });
    expect(limiter.isFull('k')).toBe(false);
    const release = await limiter.acquire('k', never());
    expect([limiter.isFull('k'), limiter.isFull('free')]).toEqual([true, false]);
    release();
    expect(limiter.isFull('k')).toBe(false);
  });

  it('frees a slot once, however often release is called', async () => {
    const limiter = createLimiter({ k: 1 });
    const release = await limiter.acquire('k', never());
    release();
    release();
    await limiter.acquire('k', never());
    let second = false;
    void limiter.acquire('k', never()).then(() => {
      second = true;
    });
    await turns();
    expect(second).toBe(false);
  });

  it('lets go of who aborts while waiting', async () => {
    const limiter = createLimiter({ k: 1 });
    const release = await limiter.acquire('k', never());
    const abort = new AbortController();
    const first = limiter.acquire('k', abort.signal);
    const second = limiter.acquire('k', never());
    abort.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    release();
    expect(await second).toBeTypeOf('function');
  });

  it('does not let in who had aborted before', async () => {
    const limiter = createLimiter({ k: 1 });
    await limiter.acquire('k', never());
    await expect(limiter.acquire('k', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  it('counts each kind apart, and knows no bound for others', async () => {
    const limiter = createLimiter({ a: 1, b: 1 });
    await limiter.acquire('a', never());
    await limiter.acquire('b', never());
    for (let i = 0; i < 100; i++) await limiter.acquire('c', never());
  });
});

describe('rounds', () => {
  it('are one at a time, with one more for all who ask meanwhile', async () => {
    const rounds = new Rounds();
    const begun: PromiseWithResolvers<void>[] = [];
    const ask = () =>
      rounds.ask(() => {
        const round = Promise.withResolvers<void>();
        begun.push(round);
        return round.promise;
      });
    const asked = Promise.all([ask(), ask(), ask()]);
    expect(begun).toHaveLength(1);
    begun[0]?.resolve();
    await vi.waitFor(() => expect(begun).toHaveLength(2));
    begun[1]?.resolve();
    await asked;
    expect(begun).toHaveLength(2);
  });

  it('go on after one that failed, whose error those who asked for it get', async () => {
    const rounds = new Rounds();
    await expect(rounds.ask(() => Promise.reject(new Error('full')))).rejects.toThrow('full');
    await rounds.over();
    await expect(rounds.ask(async () => {})).resolves.toBeUndefined();
  });
});

describe('once', () => {
  it('asks when it is first called, and gives all callers the same answer', async () => {
    let asked = 0;
    const answer = once(async () => ({ asked: ++asked }));
    expect(asked).toBe(0);
    const [first, second] = await Promise.all([answer(), answer()]);
    expect(second).toBe(first);
    expect(await answer()).toBe(first);
    expect(asked).toBe(1);
  });
});
