import { describe, expect, it } from 'vitest';
import { inMemory, Shop, tenant, until } from './print-shop.ts';

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

  it('hands all effects of a run the same options and cache, and another run its own', async () => {
    const shop = new Shop({ store: await inMemory() });
    await shop.create('a', { pages: 2 });
    await shop.create('b');
    const first = await shop.sheet('a:1');
    const other = await shop.sheet('b:1');
    first.done();
    const { job } = await shop.sheet('a:2');
    expect(job.options).toEqual({ machine: 'print' });
    expect([job.options === first.job.options, job.cache === first.job.cache]).toEqual([true, true]);
    expect(other.job.cache).not.toBe(job.cache);
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

describe('an engine with many runs', () => {
  it('drives 200 at once to their ends, each effect once', async () => {
    const shop = new Shop({ store: await inMemory(), quick: true });
    const ids = Array.from({ length: 200 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => shop.create(id, { pages: 4 })));
    await until(async () => (await shop.store.query('listActiveRuns', {})).length === 0);
    expect([shop.performed.length, new Set(shop.performed).size]).toEqual([800, 800]);
    const ever = { before: Number.MAX_SAFE_INTEGER, limit: 1 };
    expect(await shop.store.query('listSoonestTimers', ever)).toEqual([]);
    expect(
      (await shop.store.query('listRuns', { tenant, limit: 300 })).every(({ state }) => state === '"done"'),
    ).toBe(true);
  });
});
