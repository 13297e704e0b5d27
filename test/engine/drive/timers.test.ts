import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { inMemory, onDisk, quiet, Shop, tenant } from '../print-shop.ts';

describe('timers', () => {
  it('fire when they are due, and not before', async () => {
    const press = new Shop({ store: await onDisk() });
    await press.create('a');
    await press.sheet('a:1');
    await press.clock.advance(29_999);
    expect(await press.state('a')).toBe('printing');
    await press.clock.advance(1);
    expect([await press.state('a'), await press.effects('a')]).toEqual(['failed', ['1 cancelled 1']]);
  });

  it('abort what they end', async () => {
    const press = new Shop({ store: await onDisk() });
    await press.create('a');
    const { job } = await press.sheet('a:1');
    await press.clock.advance(30_000);
    expect(job.signal.aborted).toBe(true);
  });

  it('are set anew by each entry, and gone with the state', async () => {
    const press = new Shop({ store: await onDisk() });
    await press.create('a', { pages: 2 });
    const sheet = await press.sheet('a:1');
    await press.clock.advance(20_000);
    sheet.done();
    await press.sheet('a:2');
    await press.clock.advance(20_000);
    expect(await press.state('a')).toBe('printing');
    (await press.sheet('a:2')).done();
    await press.reaches('a', 'done');
    expect(await press.timers('a')).toEqual([]);
  });

  it('are stale when their row is gone or says another time', async () => {
    const press = new Shop({ store: await onDisk() });
    const start = press.clock.now();
    await press.create('a');
    await press.sheet('a:1');
    const fire = (dueAt: number) =>
      press.engine.send(tenant, 'a', { event: { type: 'timer.patience' }, timer: { id: 'patience', dueAt } });
    expect((await fire(start + 29_000)).kind).toBe('duplicate');
    expect((await fire(start + 30_000)).kind).toBe('moved');
    expect((await fire(start + 30_000)).kind).toBe('ended');
  });

  it('that come due together all fire', async () => {
    const press = new Shop({ store: await onDisk() });
    const ids = Array.from({ length: 120 }, (__, i) => `r${i}`);
    await Promise.all(ids.map((id) => press.create(id)));
    await press.clock.advance(30_000);
    for (const id of ids) await press.reaches(id, 'failed');
  });

  it('that come due together commit together, as the take-overs of many runs do', async () => {
    const { store, together } = counting(await onDisk());
    const clock = fakeClock();
    const first = new Shop({ store, clock });
    const ids = Array.from({ length: 60 }, (__, i) => `r${i}`);
    await Promise.all(ids.map((id) => first.create(id)));
    await first.engine.stop();
    const second = new Shop({ store, clock });
    together.max = 0;
    await second.engine.drive('all');
    expect(together.max).toBeGreaterThan(20);
    together.max = 0;
    await clock.advance(30_000);
    for (const id of ids) await second.reaches(id, 'failed');
    expect(together.max).toBeGreaterThan(20);
  });

  it('that are set earlier than the one waited for fire first', async () => {
    const press = new Shop({ store: await onDisk() });
    await press.create('a');
    await press.sheet('a:1');
    await press.send('a', 'job.rush');
    await press.clock.advance(1_000);
    expect(await press.state('a')).toBe('failed');
  });

  it('that came due while no driver lived fire when one takes over', async () => {
    const store = await onDisk();
    const clock = fakeClock();
    const first = new Shop({ store, clock });
    await first.create('a', { sessionId: 's' });
    (await first.sheet('a:1')).jam();
    await first.reaches('a', 'jammed');
    await first.engine.stop();
    await clock.advance(90_000_000);
    const second = new Shop({ store, clock });
    await quiet();
    expect(await second.state('a')).toBe('jammed');
    await second.engine.drive('all');
    expect(await second.state('a')).toBe('failed');
  });

  it('of runs without a driver do not fire', async () => {
    const store = await onDisk();
    const clock = fakeClock();
    const first = new Shop({ store, clock });
    await first.create('a');
    (await first.sheet('a:1')).jam();
    await first.reaches('a', 'jammed');
    await first.engine.stop();
    const second = new Shop({ store, clock });
    await second.create('b');
    await clock.advance(90_000_000);
    expect([await second.state('a'), await second.state('b')]).toEqual(['jammed', 'failed']);
  });
});

/** Counts the commits that are asked for at the same time. */
function counting(store: Store): { store: Store; together: { max: number } } {
  const together = { max: 0 };
  let open = 0;
  const commit: Store['commit'] = async (program) => {
    together.max = Math.max(together.max, ++open);
    // As a disk: what is asked for meanwhile is asked for together.
    await new Promise((resolve) => setTimeout(resolve, 1));
    return store.commit(program).finally(() => open--);
  };
  return {
    store: { ...store, query: (...asked) => store.query(...asked), close: () => store.close(), commit },
    together,
  };
}

describe('a parked run', () => {
  it('holds no timer of the process but one, for the soonest of all', async () => {
    const clock = fakeClock();
    let set = 0;
    const counting = {
      ...clock,
      wakeAt(at: number, wake: () => void) {
        set++;
        const take = clock.wakeAt(at, wake);
        return () => {
          set--;
          take();
        };
      },
    };
    const press = new Shop({ store: await inMemory(), clock: counting });
    for (let i = 0; i < 20; i++) {
      await press.create(`r${i}`);
      (await press.sheet(`r${i}:1`)).jam();
      await press.reaches(`r${i}`, 'jammed');
    }
    expect(set).toBe(1);
  });

  it('holds no process', async () => {
    let held = 0;
    const clock = fakeClock();
    const hold = () => {
      held++;
      return () => void held--;
    };
    const press = new Shop({ store: await inMemory(), clock: { ...clock, hold } });
    await press.create('a');
    expect(held).toBe(1);
    (await press.sheet('a:1')).jam();
    await press.reaches('a', 'jammed');
    expect(held).toBe(0);
    await press.send('a', 'job.clear');
    expect(held).toBe(1);
    await press.send('a', 'job.cancel');
    expect(held).toBe(0);
  });
});
