import { describe, expect, it } from 'vitest';
import { noDriver } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { inMemory, onDisk, quiet, Shop, type ShopOptions } from '../print-shop.ts';

describe('a driver that takes over', () => {
  /** Leaves run `a` in the middle of its first effect, as a killed process does: nothing is tidied up. */
  async function killed(store: Store, pages = 1) {
    const shop = new Shop({ store });
    await shop.create('a', { pages });
    await shop.sheet('a:1');
    return store;
  }

  const next = (store: Store, over: Partial<ShopOptions> = {}) => new Shop({ store, ...over });

  it('performs a repeatable effect again under the same key, as interrupted', async () => {
    const shop = next(await killed(await onDisk()));
    await shop.engine.drive('all');
    const { job, done } = await shop.sheet('a:1');
    expect(job).toMatchObject({ attempt: 2, interrupted: true, idempotencyKey: 'a:1' });
    done();
    await shop.reaches('a', 'done');
  });

  it('never performs an effect of unknown fate again: it reports the fate as unknown', async () => {
    const shop = next(await killed(await onDisk()), { recover: () => 'uncertain' });
    await shop.engine.drive('all');
    await quiet();
    expect([shop.performed, await shop.state('a'), await shop.effects('a')]).toEqual([
      [],
      'jammed',
      ['1 uncertain 1'],
    ]);
  });

  it('tells the machine since when no process drove it', async () => {
    const clock = fakeClock();
    const store = await onDisk();
    const first = new Shop({ store, clock });
    const { pk, updatedAt } = await first.create('a');
    await first.sheet('a:1');
    await first.engine.stop();
    await clock.advance(5_000);
    const shop = next(store, { clock });
    await shop.engine.drive('all');
    const [, resumed] = await store.query('listEvents', { run: pk, after: 0, limit: 10 });
    expect([resumed?.type, resumed?.body, resumed?.at]).toEqual([
      'job.resumed',
      JSON.stringify({ lastAt: updatedAt }),
      clock.now(),
    ]);
  });

  it('fails a run whose effect was started three times without a fact', async () => {
    const store = await killed(await onDisk());
    for (let life = 2; life <= 3; life++) {
      const shop = next(store);
      await shop.engine.drive('all');
      await shop.sheet('a:1');
    }
    const last = next(store);
    await last.engine.drive('all');
    await quiet();
    expect([last.performed, await last.state('a'), await last.effects('a')]).toEqual([
      [],
      'failed',
      ['1 cancelled 3'],
    ]);
  });

  it('counts no attempt that a driver gave back by stopping in order', async () => {
    const store = await onDisk();
    const first = new Shop({ store });
    await first.create('a');
    await first.sheet('a:1');
    await first.engine.stop();
    for (let life = 2; life <= 5; life++) {
      const shop = next(store);
      await shop.engine.drive('all');
      const { job } = await shop.sheet('a:1');
      expect([job.attempt, job.interrupted]).toEqual([1, true]);
      await shop.engine.stop();
    }
  });

  it('goes on with a lane that was left behind', async () => {
    const store = await onDisk();
    const first = new Shop({ store });
    for (const id of ['a', 'b', 'c']) await first.create(id, { sessionId: 's' });
    await first.sheet('a:1');
    await first.engine.stop();
    const shop = next(store);
    expect(await shop.drive()).toEqual(['a', 'b', 'c']);
    for (const id of ['a', 'b', 'c']) (await shop.sheet(`${id}:1`)).done();
    await shop.reaches('c', 'done');
    expect(shop.performed).toEqual(['a:1', 'b:1', 'c:1']);
  });

  it('starts a queued run that is at the head of its lane', async () => {
    const store = await onDisk();
    const first = new Shop({ store });
    await first.create('a', { sessionId: 's' });
    await first.create('b', { sessionId: 's' });
    await first.sheet('a:1');
    await first.engine.stop();
    const visitor = next(store);
    await visitor.send('a', 'job.cancel');
    await visitor.engine.stop();
    const shop = next(store);
    await shop.engine.drive('all');
    expect(await shop.sheet('b:1')).toBeDefined();
  });

  it('takes one session alone when that is what it is asked for', async () => {
    const store = await onDisk();
    const first = new Shop({ store });
    const { session } = await first.create('a', { sessionId: 's' });
    await first.create('b', { sessionId: 't' });
    await first.engine.stop();
    const shop = next(store);
    await shop.engine.drive({ session });
    await shop.sheet('a:1');
    await quiet();
    expect([shop.performed, shop.engine.drives(await shop.row('b'))]).toEqual([['a:1'], false]);
  });

  it('leaves a parked run parked', async () => {
    const store = await onDisk();
    const first = new Shop({ store });
    await first.create('a');
    (await first.sheet('a:1')).jam();
    await first.reaches('a', 'jammed');
    await first.engine.stop();
    const shop = next(store);
    await shop.engine.drive('all');
    expect([await shop.state('a'), await shop.events('a')]).toEqual(['jammed', ['job.start', 'print.jam']]);
    expect((await shop.row('a')).driver).toBe(noDriver);
    await shop.send('a', 'job.clear');
    expect(await shop.sheet('a:2')).toBeDefined();
  });

  it('does not disturb what it drives already, however often it is asked', async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a', { pages: 20 });
    const driving = Promise.all(Array.from({ length: 10 }, () => shop.engine.drive('all')));
    for (let n = 1; n <= 20; n++) {
      (await shop.sheet(`a:${n}`)).done();
      void shop.engine.drive('all');
    }
    await driving;
    await shop.reaches('a', 'done');
    expect([shop.reports, shop.performed.length]).toEqual([[], 20]);
    expect(await shop.events('a')).not.toContain('job.resumed');
  });

  it('reports a run that it cannot restore, leaves it alone, and takes the others', async () => {
    const store = await killed(await onDisk());
    const other = new Shop({ store });
    await other.create('b');
    await other.engine.stop();
    const { pk, seq, driver, fence, context, updatedAt } = await other.row('a');
    const broken = {
      pk,
      was: seq,
      wasDriver: driver,
      seq,
      fence,
      state: '"renamed"',
      context,
      updatedAt,
    };
    await store.commit(function* () {
      yield ['advanceRun', broken];
    });
    const shop = next(store);
    await shop.engine.drive('all');
    expect(await shop.sheet('b:1')).toBeDefined();
    expect(shop.reports).toMatchObject([{ runId: 'a', error: { code: 'MIGRATION_NEEDED' } }]);
    expect([(await shop.row('a')).fence, shop.engine.drives(await shop.row('a'))]).toEqual([fence, false]);
  });
});

describe('an engine without the machine of a run', () => {
  it('names those that it has', async () => {
    const store = await inMemory();
    const first = new Shop({ store });
    await first.create('a');
    await first.engine.stop();
    const shop = new Shop({ store, host: (host) => ({ ...host, id: 'other' }) });
    await expect(shop.send('a', 'job.note')).rejects.toMatchObject({
      code: 'MIGRATION_NEEDED',
      details: { known: ['other'] },
    });
  });

  it('refuses a run of another version', async () => {
    const store = await inMemory();
    const first = new Shop({ store });
    await first.create('a');
    await first.engine.stop();
    const shop = new Shop({ store, host: (host) => ({ ...host, version: 2 }) });
    await expect(shop.send('a', 'job.note')).rejects.toMatchObject({ code: 'MIGRATION_NEEDED' });
  });
});

describe('a run that is cancelled while a driver takes it over', () => {
  it('has nothing performed after its end', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const store = await inMemory();
      const first = new Shop({ store });
      await first.create('a');
      await first.sheet('a:1');
      await first.engine.stop();
      const shop = new Shop({ store });
      const driving = shop.engine.drive('all');
      await quiet(turns);
      const cancelled = await shop.send('a', 'job.cancel');
      await driving;
      await quiet();
      expect(cancelled.kind).toBe('moved');
      expect(await shop.effects('a')).toEqual([expect.stringMatching(/^1 cancelled/)]);
      const sheet = shop.sheets.get('a:1');
      expect(sheet?.job.signal.aborted ?? true).toBe(true);
      expect(shop.reports).toEqual([]);
    }
  });
});
