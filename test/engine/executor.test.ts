import { describe, expect, it } from 'vitest';
import { createEmbeddedLimiter } from '../../src/engine/limiter.ts';
import { inMemory, quiet, Shop, tenant, until } from './print-shop.ts';

const never = () => new AbortController().signal;

describe('the executor', () => {
  it('hands over the run, the context and the params as they were when the effect was asked for', async () => {
    const shop = new Shop({ store: await inMemory() });
    await shop.create('a', { pages: 2 });
    (await shop.sheet('a:1')).done();
    const { job } = await shop.sheet('a:2');
    await shop.send('a', 'job.note');
    expect(job).toMatchObject({
      effectId: 2,
      params: { effectId: 2, page: 2 },
      input: null,
      context: { page: 2, notes: 0 },
    });
    expect([job.run.id, job.run.seq]).toEqual(['a', 2]);
  });

  it('performs no more of a kind at once than it has room for', async () => {
    const shop = new Shop({ store: await inMemory(), limits: { 'effect.print': 2 } });
    for (const id of ['a', 'b', 'c', 'd']) await shop.create(id);
    await quiet();
    expect(shop.performed).toEqual(['a:1', 'b:1']);
    (await shop.sheet('a:1')).done();
    await shop.sheet('c:1');
    (await shop.sheet('b:1')).done();
    await shop.sheet('d:1');
  });

  it('does not perform what was aborted while it waited for room', async () => {
    const shop = new Shop({ store: await inMemory(), limits: { 'effect.print': 1 } });
    await shop.create('a');
    await shop.create('b');
    await shop.sheet('a:1');
    await shop.send('b', 'job.cancel');
    (await shop.sheet('a:1')).done();
    await shop.reaches('a', 'done');
    await quiet();
    expect([shop.performed, await shop.state('b'), shop.reports]).toEqual([['a:1'], 'cancelled', []]);
  });

  it('gives its room back when an effect breaks', async () => {
    const shop = new Shop({ store: await inMemory(), limits: { 'effect.print': 1 } });
    await shop.create('a');
    await shop.create('b');
    (await shop.sheet('a:1')).crash(new Error('no ink'));
    expect(await shop.sheet('b:1')).toBeDefined();
  });

  it('aborts one run’s effect alone', async () => {
    const shop = new Shop({ store: await inMemory() });
    await shop.create('a');
    await shop.create('b');
    const [a, b] = [await shop.sheet('a:1'), await shop.sheet('b:1')];
    await shop.send('a', 'job.cancel');
    expect([a.job.signal.aborted, b.job.signal.aborted]).toEqual([true, false]);
  });
});

describe('the limiter of one process', () => {
  it('hands a place over in the order of asking', async () => {
    const limiter = createEmbeddedLimiter({ k: 1 });
    const order: number[] = [];
    const release = await limiter.acquire('k', never());
    const waiting = [1, 2, 3].map(async (n) => {
      const free = await limiter.acquire('k', never());
      order.push(n);
      free();
    });
    await quiet(2);
    expect(order).toEqual([]);
    release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('gives a place back once, however often it is told', async () => {
    const limiter = createEmbeddedLimiter({ k: 1 });
    const release = await limiter.acquire('k', never());
    release();
    release();
    await limiter.acquire('k', never());
    let second = false;
    void limiter.acquire('k', never()).then(() => {
      second = true;
    });
    await quiet(2);
    expect(second).toBe(false);
  });

  it('lets go of who aborts while waiting', async () => {
    const limiter = createEmbeddedLimiter({ k: 1 });
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
    const limiter = createEmbeddedLimiter({ k: 1 });
    await limiter.acquire('k', never());
    await expect(limiter.acquire('k', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  it('counts each kind apart, and knows no bound for others', async () => {
    const limiter = createEmbeddedLimiter({ a: 1, b: 1 });
    await limiter.acquire('a', never());
    await limiter.acquire('b', never());
    for (let i = 0; i < 100; i++) await limiter.acquire('c', never());
  });
});

describe('an engine with many runs', () => {
  it('drives 200 at once to their ends, each effect once', async () => {
    const shop = new Shop({ store: await inMemory(), quick: true });
    const ids = Array.from({ length: 200 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => shop.create(id, { pages: 4 })));
    await until(async () => (await shop.store.query('listActiveRuns', {})).length === 0);
    expect([shop.performed.length, new Set(shop.performed).size]).toEqual([800, 800]);
    expect(await shop.store.query('nextTimer', { fence: 0 })).toEqual({ dueAt: null });
    expect(
      (await shop.store.query('listRuns', { tenant, limit: 300 })).every(({ state }) => state === '"done"'),
    ).toBe(true);
  });
});
