import { describe, expect, it } from 'vitest';
import { Fold, replay } from '../../src/engine/log/replay.ts';
import type { MachineHost, TimersOf } from '../../src/engine/machine/machine-host.ts';
import { createMachineHosts } from '../../src/engine/machine/machine-hosts.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { shortHash } from '../../src/text/ids.ts';
import { heard, inMemory, onDisk, quiet, Shop, type ShopOptions } from './print-shop.ts';
import { second, third, toSecond, toThird } from './print-versions.ts';

const pinning = (first: MachineHost) => [second(first), first];
const migrating = (first: MachineHost) => second(first, [toSecond]);

/** A driver of version 1 that leaves `a` jammed, `b` in the middle of its first page, and `c` behind `b`. */
async function left(store: Store, over: Partial<ShopOptions> = {}) {
  const shop = new Shop({ store, ...over });
  await shop.create('a', { pages: 2 });
  (await shop.sheet('a:1')).jam();
  await shop.reaches('a', 'jammed');
  await shop.create('b', { sessionId: 's' });
  await shop.create('c', { sessionId: 's' });
  await shop.sheet('b:1');
  await shop.engine.stop();
  return shop;
}

/** All that is stored of a run. */
async function rows(shop: Shop, id: string) {
  const row = await shop.row(id);
  const run = row.pk;
  return {
    row,
    events: await shop.store.query('listEvents', { run, after: 0, limit: 1_000 }),
    effects: await shop.store.query('listEffects', { run, after: 0 }),
    timers: await shop.timers(id),
  };
}

/** Lets the presses of a shop print until a run has ended. */
async function finish(shop: Shop, id: string) {
  for (let turns = 0; !(await shop.row(id)).ended; turns++) {
    if (turns > 100) throw new Error(`${id} does not end: ${await shop.state(id)}`);
    for (const sheet of [...shop.sheets.values()]) sheet.done();
    if (['jammed', 'stuck'].includes(await shop.state(id))) await shop.send(id, 'job.clear');
    await quiet(5);
  }
}

describe('a program with a new version of a machine', () => {
  describe('that has the old one, too', () => {
    it('carries runs on under their own version, to the end', async () => {
      const store = await onDisk();
      await left(store);
      const shop = new Shop({ store, host: pinning });
      await shop.engine.drive('all');
      for (const id of ['a', 'b', 'c']) {
        await finish(shop, id);
        expect(await shop.row(id)).toMatchObject({ version: 1, state: '"done"' });
        expect(await shop.events(id)).not.toContain('run.migrated');
      }
      expect(shop.reports).toEqual([]);
    });

    it('makes new runs with the newest', async () => {
      const shop = new Shop({ store: await onDisk(), host: pinning });
      expect((await shop.create('n')).version).toBe(2);
    });

    it('migrates them all the same, when it says how', async () => {
      const store = await onDisk();
      await left(store);
      const shop = new Shop({ store, host: (first) => [migrating(first), first] });
      await shop.engine.drive('all');
      expect((await shop.row('a')).version).toBe(2);
    });
  });

  describe('that says how runs of the old one become runs of the new one', () => {
    it('migrates a parked run in one commit when a driver takes it', async () => {
      const store = await onDisk();
      const clock = fakeClock();
      const before = await rows(await left(store, { clock }), 'a');
      await clock.advance(5_000);
      const shop = new Shop({ store, clock, host: migrating });
      await shop.engine.drive('all');
      const after = await rows(shop, 'a');
      const context = { ...JSON.parse(before.row.context), copies: 1 };
      expect(after.row).toEqual({
        ...before.row,
        lastDriver: 2,
        version: 2,
        seq: 3,
        state: '"stuck"',
        context: JSON.stringify(context),
        fence: 2,
      });
      expect(after.events.at(-1)).toMatchObject({
        seq: 3,
        type: 'run.migrated',
        body: JSON.stringify({ from: 1, to: 2, value: 'stuck', context }),
        at: clock.now(),
        path: 'stuck',
        hash: shortHash(JSON.stringify(context)),
      });
      expect(after.timers).toEqual([{ ...before.timers[0], id: 'rescue', event: 'timer.rescue' }]);
    });

    it('carries every run on to its end, each effect under its key', async () => {
      const store = await onDisk();
      await left(store);
      const shop = new Shop({ store, host: migrating });
      await shop.engine.drive('all');
      const { job } = await shop.sheet('b:1');
      expect(job).toMatchObject({ attempt: 1, interrupted: true, idempotencyKey: 'b:1' });
      for (const id of ['a', 'b', 'c']) await finish(shop, id);
      expect(await shop.events('c')).toEqual(['run.migrated', 'job.start', 'print.done']);
      expect(shop.reports).toEqual([]);
    });

    it('tells the machine since when no process drove it, not since when it is migrated', async () => {
      const store = await onDisk();
      const clock = fakeClock();
      const { updatedAt } = await (await left(store, { clock })).row('b');
      await clock.advance(5_000);
      const shop = new Shop({ store, clock, host: migrating });
      await shop.engine.drive('all');
      const resumed = (await rows(shop, 'b')).events.find(({ type }) => type === 'job.resumed');
      expect(JSON.parse(resumed?.body ?? '{}')).toEqual({ lastAt: updatedAt });
    });

    it('fires a timer that came due in between under its new name', async () => {
      const store = await onDisk();
      const clock = fakeClock();
      await left(store, { clock });
      await clock.advance(90_000_000);
      const shop = new Shop({ store, clock, host: migrating });
      await shop.engine.drive('all');
      await shop.reaches('a', 'failed');
      expect(await shop.events('a')).toEqual(['job.start', 'print.jam', 'run.migrated', 'timer.rescue']);
    });

    it('shows what a run would take, and writes nothing', async () => {
      const store = await onDisk();
      const before = await rows(await left(store), 'a');
      const shop = new Shop({ store, host: migrating });
      expect(shop.engine.allowed(await shop.row('a')).map(({ type }) => type)).toEqual([
        'job.cancel',
        'job.clear',
      ]);
      expect(await rows(shop, 'a')).toEqual(before);
    });

    it('migrates a run that gets a command, and tells watchers of both', async () => {
      const store = await onDisk();
      await left(store);
      const shop = new Shop({ store, host: migrating });
      const signals = heard(shop.bus, 'a');
      await shop.send('a', 'job.cancel');
      expect(signals).toMatchObject([
        { seq: 3, path: 'stuck', ended: false, event: { type: 'run.migrated', from: 1, to: 2 } },
        { seq: 4, path: 'cancelled', ended: true, event: { type: 'job.cancel' } },
      ]);
    });

    it('keeps what a command migrated that came to nothing, for the driver who takes the run', async () => {
      const store = await onDisk();
      await left(store);
      const visitor = new Shop({ store, host: migrating });
      expect((await visitor.send('a', 'job.note')).kind).toBe('ignored');
      expect(await visitor.row('a')).toMatchObject({ version: 2, state: '"stuck"', fence: 1 });
      await visitor.engine.stop();
      const shop = new Shop({ store, host: migrating });
      await shop.engine.drive('all');
      await finish(shop, 'a');
      const events = await shop.events('a');
      expect(events.filter((type) => type === 'run.migrated')).toHaveLength(1);
    });

    it('goes from version to version', async () => {
      const store = await onDisk();
      await left(store);
      const shop = new Shop({ store, host: (first) => third(first, [toSecond, toThird]) });
      await shop.engine.drive('all');
      expect(await shop.row('a')).toMatchObject({ version: 3, seq: 3, state: '"stuck"' });
      expect(await shop.context('a')).toMatchObject({ copies: 1, colour: 'black' });
      await finish(shop, 'a');
      expect(await shop.state('a')).toBe('done');
    });

    it('leaves runs that have ended as they are', async () => {
      const store = await onDisk();
      const first = new Shop({ store, quick: true });
      await first.create('a');
      await first.reaches('a', 'done');
      await first.engine.stop();
      const before = await rows(first, 'a');
      const shop = new Shop({ store, host: migrating });
      await shop.engine.drive('all');
      expect((await shop.send('a', 'job.cancel')).kind).toBe('ended');
      expect([shop.engine.allowed(await shop.row('a')), await rows(shop, 'a')]).toEqual([[], before]);
    });

    it.each<[string, (first: MachineHost) => MachineHost[], object]>([
      ['all of it, with both versions', (first) => [migrating(first), first], { folded: 6 }],
      ['all of it, without the migration', (first) => [second(first), first], { folded: 6 }],
      [
        'from the migration on, with the new one alone',
        (first) => [second(first)],
        { folded: 4, unfolded: 2 },
      ],
    ])('leaves a log that replays: %s', async (_name, versions, expected) => {
      const store = await onDisk();
      const { host: first } = await left(store);
      const shop = new Shop({ store, host: migrating });
      await shop.engine.drive('all');
      await finish(shop, 'a');
      const { row, events } = await rows(shop, 'a');
      const found = replay(createMachineHosts(versions(first)), row, events);
      expect(found).toEqual({ diverged: null, ...expected });
    });

    it('leaves a log that shows another migration for what it is', async () => {
      const store = await onDisk();
      const { host: first } = await left(store);
      const shop = new Shop({ store, host: migrating });
      await shop.engine.drive('all');
      const { row, events } = await rows(shop, 'a');
      const other = second(first, [
        {
          from: 1,
          snapshot: (old) => ({
            ...toSecond.snapshot(old),
            context: { ...(old.context as object), copies: 9 },
          }),
        },
      ]);
      const { diverged } = replay(createMachineHosts([other, first]), row, events);
      expect(diverged).toMatchObject({ seq: 3, what: 'hash' });
    });
  });

  describe('that knows no way', () => {
    it('leaves them exactly as they are, reports each once, and drives the others', async () => {
      const store = await onDisk();
      const before = await left(store);
      const was = await Promise.all(['a', 'b', 'c'].map((id) => rows(before, id)));
      const shop = new Shop({ store, quick: true, host: second });
      await shop.create('n');
      await shop.engine.drive('all');
      await shop.reaches('n', 'done');
      await quiet();
      expect(await Promise.all(['a', 'b', 'c'].map((id) => rows(shop, id)))).toEqual(was);
      expect(shop.reports.map(({ runId }) => runId)).toEqual(['a', 'b', 'c']);
      expect(shop.performed).toEqual(['n:1']);
      for (const id of ['a', 'b', 'c']) expect(shop.engine.drives(await shop.row(id))).toBe(false);
    });

    it('refuses commands with a remedy, and offers none', async () => {
      const store = await onDisk();
      await left(store);
      const shop = new Shop({ store, host: second });
      expect(shop.engine.allowed(await shop.row('a'))).toEqual([]);
      await expect(shop.send('a', 'job.cancel')).rejects.toMatchObject({
        code: 'MIGRATION_NEEDED',
        message:
          'run a is of version 1 of machine "print", and this program has version 2 and no migration from 1; resume ' +
          'or cancel the run with a program that has version 1, or register that version or a migration here',
        details: { runId: 'a', machine: 'print', version: 1, known: [2] },
      });
    });

    it('fires none of their timers', async () => {
      const store = await onDisk();
      const clock = fakeClock();
      await left(store, { clock });
      const shop = new Shop({ store, clock, host: second });
      await shop.engine.drive('all');
      await clock.advance(90_000_000);
      await quiet();
      expect(await shop.state('a')).toBe('jammed');
    });

    it('is right to: the old program goes on with what the new one did not touch, and leaves alone what it did', async () => {
      const store = await onDisk();
      await left(store);
      const upgraded = new Shop({ store, host: migrating });
      await upgraded.engine.drive({ session: (await upgraded.row('a')).session });
      await upgraded.engine.stop();
      const migrated = await rows(upgraded, 'a');
      const rolledBack = new Shop({ store });
      await rolledBack.engine.drive('all');
      await finish(rolledBack, 'b');
      expect(await rolledBack.row('b')).toMatchObject({ version: 1, state: '"done"' });
      await rolledBack.engine.stop();
      expect(await rows(rolledBack, 'a')).toEqual(migrated);
      expect(rolledBack.reports).toMatchObject([{ runId: 'a', error: { code: 'MIGRATION_NEEDED' } }]);
      const again = new Shop({ store, host: migrating });
      await again.engine.drive('all');
      for (const id of ['a', 'c']) {
        await finish(again, id);
        expect(await again.row(id)).toMatchObject({ state: '"done"' });
      }
      expect(again.reports).toEqual([]);
    });
  });
});

describe('a migration that is wrong', () => {
  const good = toSecond.snapshot;
  type Snapshot = typeof good;
  const cases: [string, 'a' | 'b', Snapshot, RegExp][] = [
    [
      'throws',
      'a',
      () => {
        throw new Error('no idea');
      },
      /migration from version 1 threw: no idea/,
    ],
    ['leads to no state', 'a', (old) => ({ ...good(old), value: 'jammed' }), /jammed/],
    [
      'leads to half a state',
      'a',
      (old) => ({ ...good(old), value: 'drying' }),
      /"drying" is not a whole state/,
    ],
    [
      'leads to a state in which nothing stays',
      'a',
      (old) => ({ ...good(old), value: 'folding' }),
      /"folding" is left at once/,
    ],
    ['leads to an end', 'a', (old) => ({ ...good(old), value: 'done' }), /"done" is final/],
    ['has no context', 'a', (old) => ({ ...good(old), context: undefined }), /the context is not an object/],
    ['forgets a key', 'a', (old) => ({ ...good(old), context: old.context }), /the context lacks copies/],
    [
      'forgets a timer',
      'a',
      (old) => ({ ...good(old), timers: { help: null } }),
      /stuck needs a timer "rescue" with event "timer.rescue", and the run has none/,
    ],
    [
      'gives a timer another event',
      'a',
      (old) => ({ ...good(old), timers: { rescue: { event: 'timer.help', was: 'help' } } }),
      /and the run has timer.help/,
    ],
    [
      'leaves a timer that nobody waits for',
      'a',
      (old) => ({ ...good(old), timers: { rescue: { event: 'timer.rescue', delayMs: 5 } } }),
      /nothing in stuck waits for its timer "help"/,
    ],
    [
      'keeps a timer that is not there',
      'a',
      (old) => ({ ...good(old), timers: { rescue: { event: 'timer.rescue', was: 'hope' } } }),
      /no timer "hope"/,
    ],
    [
      'waits for an effect that nobody performs',
      'a',
      (old) => ({ ...good(old), context: { ...(old.context as object), copies: 1, awaiting: 7 } }),
      /awaits effects 7, and the run's open ones are none/,
    ],
    [
      'forgets an effect in flight',
      'b',
      (old) => ({ ...good(old), context: { ...(old.context as object), copies: 1, awaiting: null } }),
      /awaits effects none, and the run's open ones are 1/,
    ],
    [
      'leaves an effect a name that is gone',
      'b',
      (old) => ({ ...good(old), effects: {} }),
      /version 2 has no effect "effect.print"/,
    ],
    [
      'renames an effect that is not open',
      'a',
      (old) => ({ ...good(old), effects: { 1: { name: 'effect.press' } } }),
      /no open effect 1/,
    ],
  ];

  it.each(cases)('that %s changes nothing, and says why', async (_, id, snapshot, why) => {
    const store = await inMemory();
    const before = await rows(await left(store), id);
    const shop = new Shop({ store, host: (first) => second(first, [{ from: 1, snapshot }]) });
    await shop.engine.drive({ session: before.row.session });
    expect(shop.reports[0]).toMatchObject({
      runId: id,
      error: {
        code: 'MIGRATION_FAILED',
        message: expect.stringMatching(why),
        details: { runId: id, from: 1, to: 2 },
      },
    });
    expect(await rows(shop, id)).toEqual(before);
    await expect(shop.send(id, 'job.cancel')).rejects.toMatchObject({ code: 'MIGRATION_FAILED' });
    expect(await rows(shop, id)).toEqual(before);
  });
});

describe('a migration that gives a state a timer of its own', () => {
  it('sets it from then on', async () => {
    const store = await inMemory();
    const clock = fakeClock();
    await left(store, { clock });
    const fresh = {
      from: 1,
      snapshot: (old: Parameters<typeof toSecond.snapshot>[0]) => ({
        ...toSecond.snapshot(old),
        timers: { help: null, rescue: { event: 'timer.rescue', delayMs: 1_000 } },
      }),
    };
    const shop = new Shop({ store, clock, host: (first) => second(first, [fresh]) });
    await shop.engine.drive({ session: (await shop.row('a')).session });
    expect(await shop.timers('a')).toMatchObject([{ id: 'rescue', dueAt: clock.now() + 1_000 }]);
    await clock.advance(1_000);
    await shop.reaches('a', 'failed');
  });
});

describe('the machines of a program', () => {
  const host = async () => new Shop({ store: await inMemory() }).host;

  it('refuse two of one version', async () => {
    const first = await host();
    expect(() => createMachineHosts([first, { ...first }])).toThrow(/registered twice/);
  });

  it.each([[[toThird, toSecond]], [[toSecond, toSecond]], [[{ ...toSecond, from: 3 }]]])(
    'refuse migrations that do not lead upwards',
    async (migrate) => {
      const first = await host();
      expect(() => createMachineHosts([third(first, migrate)])).toThrow(/must lead upwards/);
    },
  );

  it('find the newest, one version, and the way of a run', async () => {
    const first = await host();
    const hosts = createMachineHosts([first, third(first, [toThird]), second(first)]);
    expect(hosts.newest('print').version).toBe(3);
    expect([hosts.find('print', 2)?.version, hosts.find('print', 4), hosts.find('fax', 1)]).toEqual([
      2,
      undefined,
      undefined,
    ]);
    const way = (version: number) =>
      hosts.migrationPathOf({ id: 'r', machine: 'print', version, options: '{}' });
    expect([1, 2, 3].map((version) => [way(version).host.version, way(version).steps.length])).toEqual([
      [1, 0],
      [3, 1],
      [3, 0],
    ]);
    expect(() => way(4)).toThrow(/has versions 1, 2, 3/);
  });
});

describe('a chart that was edited without a new version', () => {
  const charted = (chart: string) => (host: MachineHost) => ({ ...host, fingerprint: chart });
  const changed = { code: 'CHART_CHANGED', details: { runId: 'a', machine: 'print', version: 1 } };

  /** A run `a` that is jammed, of the chart `one`, and `b` in the middle of its first page. */
  const made = async (over: Partial<ShopOptions> = {}) => {
    const store = await inMemory();
    await left(store, { host: charted('one'), ...over });
    return store;
  };

  it('names its chart in the options of each run', async () => {
    const shop = new Shop({ store: await made() });
    expect(JSON.parse((await shop.row('a')).options)).toEqual({ machine: 'print', chart: 'one' });
  });

  it('moves no run of the chart before, says so once, and leaves them as they are', async () => {
    const store = await made();
    const shop = new Shop({ store, host: charted('two') });
    const was = await Promise.all(['a', 'b', 'c'].map((id) => rows(shop, id)));
    const refused = new Map<string, Error | null>();
    await shop.engine.drive('all', async ({ id }, error) => void refused.set(id, error));
    expect([...refused].map(([id, error]) => [id, (error as { code?: string } | null)?.code])).toEqual([
      ['a', 'CHART_CHANGED'],
      ['b', 'CHART_CHANGED'],
      ['c', 'CHART_CHANGED'],
    ]);
    for (let looks = 1; looks <= 3; looks++) await shop.engine.look();
    await expect(shop.send('a', 'job.clear')).rejects.toMatchObject({
      ...changed,
      message:
        'the chart of "print", version 1, has changed since run a was made, so this program leaves the run as it is; ' +
        'raise the version of the chart and add a migration, or restore the chart',
    });
    expect(shop.engine.allowed(await shop.row('a'))).toEqual([]);
    expect(await Promise.all(['a', 'b', 'c'].map((id) => rows(shop, id)))).toEqual(was);
    expect([shop.performed, shop.reports]).toEqual([[], []]);
    const restored = new Shop({ store, host: charted('one') });
    await restored.engine.drive('all');
    await finish(restored, 'a');
  });

  it('fires none of their timers', async () => {
    const clock = fakeClock();
    const shop = new Shop({ store: await made({ clock }), clock, host: charted('two') });
    await shop.engine.drive('all');
    await clock.advance(90_000_000);
    await quiet();
    expect(await shop.state('a')).toBe('jammed');
  });

  it('refuses runs that name no chart', async () => {
    const store = await inMemory();
    await left(store);
    const shop = new Shop({ store, host: charted('one') });
    await expect(shop.send('a', 'job.cancel')).rejects.toMatchObject(changed);
  });

  it('folds no log of the chart before, of ended runs neither', async () => {
    const store = await inMemory();
    const first = new Shop({ store, quick: true, host: charted('one') });
    await first.create('a');
    await first.reaches('a', 'done');
    const { row, events } = await rows(first, 'a');
    const hosts = (chart: string) => createMachineHosts([charted(chart)(first.host)]);
    expect(replay(hosts('one'), row, events)).toEqual({ diverged: null, folded: 2 });
    expect(() => replay(hosts('two'), row, events)).toThrow(expect.objectContaining(changed));
  });

  it('is migrated by a newer version, and keeps what each version was', async () => {
    const store = await made();
    const newer = (host: MachineHost) => ({ ...migrating(host), fingerprint: 'three' });
    const shop = new Shop({ store, host: newer });
    await shop.engine.drive('all');
    await finish(shop, 'a');
    const { row, events } = await rows(shop, 'a');
    expect(JSON.parse(row.options)).toEqual({ machine: 'print', chart: 'three', charts: { 1: 'one' } });
    const { host } = new Shop({ store });
    const all = (chart: string) => createMachineHosts([newer(host), charted(chart)(host)]);
    expect(replay(all('one'), row, events)).toEqual({ diverged: null, folded: 6 });
    // Only what was made by that very chart is folded by it.
    expect(replay(all('two'), row, events)).toEqual({ diverged: null, folded: 4, unfolded: 2 });
    expect(() => replay(createMachineHosts([charted('one')(newer(host))]), row, events)).toThrow(
      expect.objectContaining({ code: 'CHART_CHANGED' }),
    );
    // One who reads on from before the migration learns of the newer chart by it.
    const before = Fold.of(all('one'), { ...row, version: 1 }, events.slice(0, 2));
    const parked = events
      .slice(0, 2)
      .map((event) => before.next(event))
      .at(-1);
    const was = { version: 1, seq: 2, state: '"jammed"', context: parked?.context ?? '' };
    const options = '{"machine":"print","chart":"one"}';
    const following = Fold.after(all('one'), { ...row, ...was, options });
    const versions = events.slice(2).map((event) => following.next(event).host.version);
    expect(versions).toEqual([2, 2, 2, 2]);
  });
});

describe('a machine whose host says what its timers are', () => {
  const own = (timers: TimersOf) => (first: MachineHost) => ({
    ...second(first, [{ from: 1, snapshot: (old) => ({ ...toSecond.snapshot(old), timers: {} }) }]),
    timersOf: () => timers,
  });

  it('is migrated with those', async () => {
    const store = await inMemory();
    await left(store);
    const kept = { set: new Map([['help', 'timer.help']]), cleared: new Set<string>() };
    const shop = new Shop({ store, host: own(kept) });
    await shop.engine.drive({ session: (await shop.row('a')).session });
    await expect(shop.send('a', 'job.clear')).resolves.toMatchObject({ kind: 'moved' });
  });

  it.each<[string, TimersOf, RegExp]>([
    [
      'lacks one',
      { set: new Map([['other', 'timer.other']]), cleared: new Set(['help']) },
      /needs a timer "other"/,
    ],
    ['has another', { set: new Map(), cleared: new Set() }, /nothing in stuck waits for its timer "help"/],
  ])('is not when the run %s', async (_what, timers, why) => {
    const store = await inMemory();
    await left(store);
    const shop = new Shop({ store, host: own(timers) });
    await expect(shop.send('a', 'job.clear')).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringMatching(why),
    });
  });
});
