import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { corrupt, FlakyStore } from './flaky-store.ts';
import { heard, inMemory, quiet, Shop, tenant } from './print-shop.ts';

async function working(pages = 1) {
  const store = new FlakyStore(await inMemory());
  const shop = new Shop({ store });
  await shop.create('a', { pages });
  const sheet = await shop.sheet('a:1');
  return { store, shop, sheet };
}

describe('a fact that the database refuses', () => {
  it.each([1, 2, 3])('is stored when it refuses %i times only', async (times) => {
    const { store, shop, sheet } = await working();
    store.failCommits(times);
    sheet.done();
    await quiet();
    await shop.clock.advance(5_000);
    expect([await shop.state('a'), shop.reports, shop.performed]).toEqual(['done', [], ['a:1']]);
  });

  it('is given up after that: reported, and told to those who watch', async () => {
    const { store, shop, sheet } = await working();
    const signals = heard(shop.bus, 'a');
    store.failCommits(100);
    sheet.done();
    await quiet();
    await shop.clock.advance(5_000);
    expect(shop.reports).toMatchObject([{ runId: 'a', error: { code: 'DATABASE_FULL' } }]);
    expect(signals).toMatchObject([{ type: 'stalled', error: { code: 'DATABASE_FULL' } }]);
  });

  it('is stored after all when there is room again, by itself and without its effect being performed again', async () => {
    const { store, shop, sheet } = await working(2);
    store.failCommits(100);
    sheet.done();
    await quiet();
    await shop.clock.advance(15_000);
    expect(shop.engine.drives(await shop.row('a'))).toBe(false);
    store.failCommits(0);
    await shop.clock.advance(2_000);
    (await shop.sheet('a:2')).done();
    await shop.reaches('a', 'done');
    expect([shop.performed, shop.reports.length]).toEqual([['a:1', 'a:2'], 1]);
  });

  it('is given up at once when another try would be in vain', async () => {
    const { store, shop, sheet } = await working();
    const before = store.asked;
    store.failCommits(100, corrupt);
    sheet.done();
    await quiet();
    expect(shop.reports).toMatchObject([{ error: { code: 'DATABASE_CORRUPT' } }]);
    // The fact, and the note that it was given up.
    expect(store.asked - before).toBe(2);
  });

  it('leaves nothing behind but its open effect, and a run without a driver', async () => {
    const { store, shop, sheet } = await working();
    store.failCommits(1, corrupt);
    sheet.done();
    await quiet();
    expect([await shop.effects('a'), await shop.state('a')]).toEqual([['1 started 1'], 'printing']);
    expect(shop.engine.drives(await shop.row('a'))).toBe(false);
  });

  it.each([1, 5])(
    'is stored once, and the run goes on, when the answers to %i commits are lost',
    async (lost) => {
      const { store, shop, sheet } = await working(2);
      store.loseAnswers(lost);
      sheet.done();
      await quiet();
      await shop.clock.advance(4_000);
      await shop.engine.look();
      await shop.clock.advance(15_000);
      await shop.engine.look();
      (await shop.sheet('a:2')).done();
      await shop.reaches('a', 'done');
      expect(shop.performed).toEqual(['a:1', 'a:2']);
    },
  );

  it('is made up for when the same engine takes the run again', async () => {
    const { store, shop, sheet } = await working(2);
    store.failCommits(1, corrupt);
    sheet.done();
    await quiet();
    await shop.engine.drive('all');
    const again = await shop.sheet('a:1');
    expect(again.job).toMatchObject({ attempt: 2, interrupted: true });
    again.done();
    (await shop.sheet('a:2')).done();
    await shop.reaches('a', 'done');
  });

  it('does not let a process end that has nothing else to do', async () => {
    let held = 0;
    const hold = () => {
      held++;
      return () => void held--;
    };
    const store = new FlakyStore(await inMemory());
    const clock = fakeClock();
    const shop = new Shop({ store, clock: { ...clock, hold } });
    await shop.create('a');
    store.failCommits(2);
    (await shop.sheet('a:1')).done();
    await quiet();
    expect(held).toBe(1);
    await clock.advance(1_000);
    expect([held, await shop.state('a')]).toEqual([0, 'done']);
  });
});

describe('a command that the database refuses', () => {
  it('is its caller’s to know, and changes nothing', async () => {
    const { store, shop, sheet } = await working();
    store.failCommits(1);
    await expect(shop.send('a', 'job.note')).rejects.toMatchObject({
      code: 'DATABASE_FULL',
      retryable: true,
    });
    expect([shop.reports, (await shop.context('a')).notes, sheet.job.signal.aborted]).toEqual([[], 0, false]);
    sheet.done();
    await shop.reaches('a', 'done');
  });

  it('can be sent again under the same key', async () => {
    const { store, shop } = await working();
    store.failCommits(1);
    const note = { event: { type: 'job.note' }, key: 'k' };
    await expect(shop.engine.send(tenant, 'a', note)).rejects.toMatchObject({ code: 'DATABASE_FULL' });
    expect((await shop.engine.send(tenant, 'a', note)).kind).toBe('moved');
  });

  it('makes no run when it was to make one', async () => {
    const { store, shop } = await working();
    store.failCommits(1);
    await expect(shop.create('b')).rejects.toMatchObject({ code: 'DATABASE_FULL' });
    await expect(shop.row('b')).rejects.toThrow('no run b');
    expect((await shop.create('b')).seq).toBe(1);
  });
});

describe('a timer that cannot be fired', () => {
  it('stays, and is fired when the database is well again', async () => {
    const { store, shop } = await working();
    store.failCommits(1, corrupt);
    await shop.clock.advance(30_000);
    expect([await shop.state('a'), shop.reports.length]).toEqual(['printing', 1]);
    await shop.clock.advance(1_000);
    expect(await shop.state('a')).toBe('failed');
  });

  it('is not tried without a pause', async () => {
    const { store, shop } = await working();
    const before = store.asked;
    store.failCommits(1_000_000, corrupt);
    await shop.clock.advance(40_000);
    expect(store.asked - before).toBeLessThan(15);
    store.failCommits(0);
    await shop.clock.advance(2_000);
    expect(await shop.state('a')).toBe('failed');
  });

  it('does not keep the others from firing', async () => {
    const { store, shop } = await working();
    await shop.create('b');
    store.failCommits(1, corrupt);
    await shop.clock.advance(30_000);
    expect([await shop.state('a'), await shop.state('b')].sort()).toEqual(['failed', 'printing']);
  });

  it('is found again when reading the timers failed', async () => {
    const { store, shop } = await working();
    store.failQueries(1, 'listSoonestTimers');
    await shop.clock.advance(30_000);
    expect([await shop.state('a'), shop.reports.length]).toEqual(['printing', 1]);
    await shop.clock.advance(1_000);
    expect(await shop.state('a')).toBe('failed');
  });
});

describe('a take-over that the database refuses', () => {
  /** A shop that finds a run which another one has left. */
  async function leftBehind() {
    const inner = await inMemory();
    const first = new Shop({ store: inner });
    await first.create('a');
    await first.sheet('a:1');
    await first.engine.stop();
    const store = new FlakyStore(inner);
    const shop = new Shop({ store });
    await shop.ownership.join();
    return { store, shop };
  }

  it.each([
    ['its claim', 1],
    ['the word to the machine', 2],
    ['the start of the effect', 3],
  ])('at %s is reported, and can be tried again', async (_, failing) => {
    const { store, shop } = await leftBehind();
    let commits = 0;
    const commit = store.commit.bind(store);
    store.commit = (program) => (++commits === failing ? Promise.reject(corrupt) : commit(program));
    await shop.engine.drive('all');
    expect([shop.reports.length, shop.engine.drives(await shop.row('a'))]).toEqual([1, false]);
    await shop.engine.drive('all');
    (await shop.sheet('a:1')).done();
    await shop.reaches('a', 'done');
    expect(shop.performed).toEqual(['a:1']);
  });

  it('is tried again by itself when the database is well again', async () => {
    const { store, shop } = await leftBehind();
    store.failCommits(100);
    await shop.engine.drive('all');
    await shop.clock.advance(10_000);
    expect(shop.reports.length).toBe(1);
    store.failCommits(0);
    await shop.clock.advance(2_000);
    (await shop.sheet('a:1')).done();
    await shop.reaches('a', 'done');
  });

  it('is reported when the next of a lane cannot be found', async () => {
    const store = new FlakyStore(await inMemory());
    const shop = new Shop({ store });
    await shop.create('a', { sessionId: 's' });
    await shop.create('b', { sessionId: 's' });
    store.failQueries(1, 'laneHead');
    (await shop.sheet('a:1')).done();
    await shop.reaches('a', 'done');
    await quiet();
    expect(shop.reports).toMatchObject([{ error: { code: 'DATABASE_FULL' } }]);
    await shop.engine.drive('all');
    expect(await shop.sheet('b:1')).toBeDefined();
  });
});
