import { describe, expect, it } from 'vitest';
import type { StatementName } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { heard, onDisk, quiet, Shop, tenant, until } from './print-shop.ts';

describe('two engines on one store', () => {
  /** A second driver takes a run over, and a third one overtakes it when it asks this query. */
  async function takeOver(query: StatementName) {
    const store = await left();
    const third = new Shop({ store });
    const overtaken = overtaking(store, query, () => third.engine.drive('all'));
    const second = new Shop({ store: overtaken });
    await second.engine.drive('all');
    return { second, third };
  }

  /** A run in the middle of its first effect, whose engine is gone. */
  async function left() {
    const store = await onDisk();
    const first = new Shop({ store });
    await first.create('a');
    await first.sheet('a:1');
    await first.engine.stop();
    return store;
  }

  /** The older one works on run `a`; the younger one has just taken everything over. */
  async function takenOver() {
    const store = await onDisk();
    const clock = fakeClock();
    const older = new Shop({ store, clock });
    await older.create('a', { pages: 3 });
    const sheet = await older.sheet('a:1');
    const younger = new Shop({ store, clock });
    await younger.engine.drive('all');
    await younger.sheet('a:1');
    return { store, clock, older, younger, sheet };
  }

  it('mark whose a run is by its fence', async () => {
    const { younger } = await takenOver();
    expect((await younger.row('a')).fence).toBe(2);
    expect((await younger.effects('a'))[0]).toBe('1 started 2');
  });

  it('let only the younger one say that it drives the run', async () => {
    const { older, younger } = await takenOver();
    const row = await younger.row('a');
    expect([older.engine.drives(row), younger.engine.drives(row)]).toEqual([false, true]);
  });

  it('refuse a fact of the older one, tell it, and stop its work', async () => {
    const { older, younger, sheet } = await takenOver();
    const signals = heard(older.bus, 'a');
    sheet.done();
    await until(() => older.reports.length > 0);
    expect(older.reports).toMatchObject([{ error: { code: 'FENCED' }, runId: 'a' }]);
    expect(signals.map(({ type }) => type)).toEqual(['stalled']);
    expect([await younger.events('a'), older.performed]).toEqual([['job.start', 'job.resumed'], ['a:1']]);
  });

  it('leave a result alone that comes after the older one has passed the run on', async () => {
    const store = await onDisk();
    let isHeld = false;
    const older = new Shop({
      store: {
        ...store,
        async commit(program) {
          const value = await store.commit(program);
          if (!isHeld) return value;
          // The result is in the queue when the run comes to rest, and another driver goes on with it.
          isHeld = false;
          sheet.done();
          await younger.engine.drive('all');
          await younger.send('a', 'job.clear');
          return value;
        },
      },
    });
    const younger = new Shop({ store });
    await older.create('a');
    const sheet = await older.sheet('a:1');
    isHeld = true;
    await older.send('a', 'job.hold');
    await quiet();
    expect(older.reports).toEqual([]);
    (await younger.sheet('a:2')).done();
    await younger.reaches('a', 'done');
  });

  it('refuse what others tell the older one of a run that it has passed on, so that they tell it to the younger one', async () => {
    const store = await onDisk();
    const older = new Shop({ store });
    await older.create('a');
    await older.sheet('a:1');
    await older.send('a', 'job.hold');
    const younger = new Shop({ store });
    await younger.engine.drive('all');
    await younger.send('a', 'job.clear');
    await expect(older.send('a', 'print.done', { effectId: 2 })).rejects.toMatchObject({ code: 'FENCED' });
  });

  it('abort what the older one has in flight once it learns of it', async () => {
    const { older, sheet } = await takenOver();
    await expect(older.send('a', 'job.note')).rejects.toMatchObject({ code: 'FENCED' });
    expect(sheet.job.signal.aborted).toBe(true);
  });

  it('refuse every command of the older one, again and again', async () => {
    const { older, younger } = await takenOver();
    for (const type of ['job.note', 'job.cancel', 'job.note'])
      await expect(older.send('a', type)).rejects.toMatchObject({ code: 'FENCED', details: { runId: 'a' } });
    expect(await younger.state('a')).toBe('printing');
  });

  it('let the younger one go on undisturbed', async () => {
    const { older, younger } = await takenOver();
    await expect(older.send('a', 'job.cancel')).rejects.toMatchObject({ code: 'FENCED' });
    for (const n of [1, 2, 3]) (await younger.sheet(`a:${n}`)).done();
    await younger.reaches('a', 'done');
    expect(younger.reports).toEqual([]);
  });

  it('do not let the older one take a run back', async () => {
    const { older, younger, sheet } = await takenOver();
    await expect(older.send('a', 'job.note')).rejects.toMatchObject({ code: 'FENCED' });
    sheet.done();
    await quiet();
    await older.engine.drive('all');
    const { driver, fence } = await younger.row('a');
    expect([older.reports, driver, fence]).toEqual([[], 2, 2]);
  });

  it('do not let the older one fire the younger one’s timers', async () => {
    const { clock, older, younger } = await takenOver();
    await younger.send('a', 'job.rush');
    await clock.advance(1_000);
    expect(await younger.state('a')).toBe('failed');
    expect([older.reports, (await younger.row('a')).fence]).toEqual([[], 2]);
  });

  it.each([
    ['has performed the effect itself', (younger: Shop) => finish(younger, 'a:1')],
    ['has cancelled the run', (younger: Shop) => younger.send('a', 'job.cancel')],
  ])(
    'tell the older one, whose fact comes late, that it lost the run when the younger one %s',
    async (_name, moves) => {
      const { older, younger, sheet } = await takenOver();
      await moves(younger);
      const signals = heard(older.bus, 'a');
      sheet.done();
      await until(() => older.reports.length > 0);
      expect(older.reports).toMatchObject([{ error: { code: 'FENCED' }, runId: 'a' }]);
      expect(signals).toMatchObject([{ type: 'stalled', error: { code: 'FENCED' } }]);
      expect(younger.reports).toEqual([]);
    },
  );

  it('tell the watchers of the older one at its next command, and stop its effect', async () => {
    const { older, sheet } = await takenOver();
    const signals = heard(older.bus, 'a');
    await expect(older.send('a', 'job.note')).rejects.toMatchObject({ code: 'FENCED' });
    await expect(older.send('a', 'job.note')).rejects.toMatchObject({ code: 'FENCED' });
    expect(signals.map(({ type }) => type)).toEqual(['stalled']);
    expect(sheet.job.signal.aborted).toBe(true);
  });

  it('answer no command of the older one with a duplicate', async () => {
    const store = await onDisk();
    const older = new Shop({ store });
    await older.create('a');
    const note = () => older.engine.send(tenant, 'a', { event: { type: 'job.note' }, key: 'once' });
    expect([(await note()).kind, (await note()).kind]).toEqual(['moved', 'duplicate']);
    await new Shop({ store }).engine.drive('all');
    await expect(note()).rejects.toMatchObject({ code: 'FENCED' });
  });

  it('tell the older one, whose effect hangs, when its timer is due', async () => {
    const { clock, older, younger, sheet } = await takenOver();
    const signals = heard(older.bus, 'a');
    await finish(younger, 'a:1');
    await clock.advance(30_000);
    await until(() => signals.length > 0);
    expect(signals).toMatchObject([{ type: 'stalled', error: { code: 'FENCED' } }]);
    expect(older.reports).toMatchObject([{ error: { code: 'FENCED' }, runId: 'a' }]);
    expect(sheet.job.signal.aborted).toBe(true);
  });

  it('tell the older one that lost the run to a command of another driver under its own fence', async () => {
    const store = await onDisk();
    const older = new Shop({ store });
    await older.create('a');
    const sheet = await older.sheet('a:1');
    const signals = heard(older.bus, 'a');
    await new Shop({ store }).send('a', 'job.cancel');
    sheet.done();
    await until(() => signals.length > 0);
    expect(signals).toMatchObject([{ type: 'stalled', error: { code: 'FENCED' } }]);
    expect(await older.state('a')).toBe('cancelled');
  });

  it('begin no effect in a recovery that another driver overtakes', async () => {
    const { second, third } = await takeOver('listOpenEffects');
    expect(second.performed).toEqual([]);
    expect(second.reports).toMatchObject([{ error: { code: 'FENCED' }, runId: 'a' }]);
    expect(third.performed).toEqual(['a:1']);
  });

  it.each([
    ['ends', [{ type: 'job.cancel' }], 'cancelled'],
    ['comes to rest', [{ type: 'print.lost', effectId: 1 }], 'jammed'],
    ['comes to rest, and moves again', [{ type: 'print.lost', effectId: 1 }, { type: 'job.clear' }], 'done'],
  ])('lose no run that %s in the driver that recovers it', async (_what, events, end) => {
    const store = await left();
    const moves = async () => {
      for (const event of events) await second.engine.send(tenant, 'a', { event });
    };
    const second: Shop = new Shop({ store: overtaking(store, 'listOpenEffects', moves) });
    await second.engine.drive('all');
    if (end === 'done') (await second.sheet('a:2')).done();
    await second.reaches('a', end);
    expect(second.reports).toEqual([]);
  });

  it('leave a run to the one that was faster to take it', async () => {
    const { second, third } = await takeOver('loadRun');
    expect([second.performed, third.performed]).toEqual([[], ['a:1']]);
    expect(second.reports).toEqual([]);
  });

  it('do not let the older one write beside a transition that its machine ignores', async () => {
    const { older, younger } = await takenOver();
    (await younger.sheet('a:1')).jam();
    await younger.reaches('a', 'jammed');
    const [timer] = await younger.timers('a');
    const stale = older.engine.send(1, 'a', {
      event: { type: 'timer.help' },
      timer: { id: 'help', dueAt: timer?.dueAt ?? 0 },
    });
    await expect(stale).rejects.toMatchObject({ code: 'FENCED' });
    expect((await younger.timers('a')).map(({ id }) => id)).toEqual(['help']);
  });

  it('leave the older one the sessions that no other took', async () => {
    const store = await onDisk();
    const older = new Shop({ store });
    await older.create('a', { sessionId: 's' });
    const younger = new Shop({ store });
    await younger.create('b', { sessionId: 't' });
    (await older.sheet('a:1')).done();
    (await younger.sheet('b:1')).done();
    await Promise.all([older.reaches('a', 'done'), younger.reaches('b', 'done')]);
    expect([...older.reports, ...younger.reports]).toEqual([]);
  });

  it('hand a lane over: what an older one queued starts when the younger one’s run ends', async () => {
    const store = await onDisk();
    const older = new Shop({ store });
    await older.create('a', { sessionId: 's' });
    (await older.sheet('a:1')).jam();
    await older.reaches('a', 'jammed');
    await older.create('b', { sessionId: 's' });
    await older.engine.stop();
    const younger = new Shop({ store });
    await younger.create('c', { sessionId: 's' });
    await younger.send('a', 'job.cancel');
    (await younger.sheet('b:1')).done();
    (await younger.sheet('c:1')).done();
    await younger.reaches('c', 'done');
    expect(younger.performed).toEqual(['b:1', 'c:1']);
  });
});

describe('an engine that does not drive a run', () => {
  /** A run that waits for a person, whose engine is gone. */
  async function left() {
    const store = await onDisk();
    const clock = fakeClock();
    const first = new Shop({ store, clock });
    await first.create('a');
    (await first.sheet('a:1')).jam();
    await first.reaches('a', 'jammed');
    await first.engine.stop();
    return { store, clock };
  }

  it('writes a command, and leaves its effects pending', async () => {
    const { store, clock } = await left();
    const visitor = new Shop({ store, clock });
    expect((await visitor.send('a', 'job.clear')).kind).toBe('moved');
    await quiet();
    expect([await visitor.state('a'), await visitor.effects('a'), visitor.performed]).toEqual([
      'printing',
      ['1 done 1', '2 pending 0'],
      [],
    ]);
  });

  it('has them performed exactly once by the driver that comes later, as never begun', async () => {
    const { store, clock } = await left();
    const visitor = new Shop({ store, clock });
    await visitor.send('a', 'job.clear');
    await visitor.engine.stop();
    const driver = new Shop({ store, clock, recover: () => 'uncertain' });
    await driver.engine.drive('all');
    const { job } = await driver.sheet('a:2');
    expect([job.attempt, job.interrupted]).toEqual([1, false]);
    await driver.engine.drive('all');
    await quiet();
    expect(driver.performed).toEqual(['a:2']);
  });

  it('can take the run itself after that', async () => {
    const { store, clock } = await left();
    const visitor = new Shop({ store, clock });
    await visitor.send('a', 'job.clear');
    expect(await visitor.drive()).toEqual(['a']);
    (await visitor.sheet('a:2')).done();
    await visitor.reaches('a', 'done');
  });

  it('does not start the next of the lane when it cancels the head', async () => {
    const store = await onDisk();
    const first = new Shop({ store });
    await first.create('a', { sessionId: 's' });
    await first.create('b', { sessionId: 's' });
    await first.engine.stop();
    const visitor = new Shop({ store });
    await visitor.send('a', 'job.cancel');
    await quiet();
    expect([await visitor.state('b'), visitor.performed]).toEqual(['queued', []]);
  });
});

async function finish(shop: Shop, name: string): Promise<void> {
  (await shop.sheet(name)).done();
  await until(async () => (await shop.events('a')).includes('print.done'));
}

/** A store in which something else happens once, right after the first answer to `query`. */
function overtaking(store: Store, query: StatementName, happens: () => Promise<unknown>): Store {
  let isFirst = true;
  return {
    commit: (program) => store.commit(program),
    async query(name, input) {
      const rows = await store.query(name, input);
      if (name === query && isFirst) {
        isFirst = false;
        await happens();
      }
      return rows;
    },
    close: () => store.close(),
  };
}
