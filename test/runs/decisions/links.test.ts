import { describe, expect, it } from 'vitest';
import { createMachineHosts } from '../../../src/engine/machine/machine-hosts.ts';
import { DetentError } from '../../../src/protocol/error.ts';
import { forkAt } from '../../../src/runs/history/fork.ts';
import { momentOf } from '../../../src/runs/history/moment.ts';
import { previewFork } from '../../../src/runs/history/preview.ts';
import { isOrphan } from '../../../src/runs/rows/sub-run-rows.ts';
import { noDriver } from '../../../src/store/rows.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { Store } from '../../../src/store/store.ts';
import { onDisk, quiet, until } from '../../engine/print-shop.ts';
import { ask } from '../../support/ask.ts';
import { type ErrandOptions, Errands } from '../errands.ts';

describe('a run that waits for a run that it began', () => {
  const process = async (store: Store, options: Partial<ErrandOptions> = {}) => {
    const errands = new Errands({ store, ...options });
    await errands.resume();
    return errands;
  };

  /** A run `a` that waits for its run `a.c1`, which walks. */
  const waiting = async (options: Partial<ErrandOptions> = {}) => {
    const errands = new Errands({ store: await onDisk(), ...options });
    await errands.start('a', 1);
    await errands.rests('a');
    return errands;
  };

  it('is at rest: no driver has it, and its effect is linked', async () => {
    const errands = await waiting();
    expect((await errands.row('a')).driver).toBe(noDriver);
    expect(errands.engine.drives(await errands.row('a'))).toBe(false);
    expect(await errands.effects('a')).toEqual(['1 linked 1']);
    expect((await errands.engine.driven()).map(({ id }) => id)).toEqual(['a.c1']);
  });

  it('goes on with the result as soon as that one has ended', async () => {
    const errands = await waiting();
    await errands.answer('a.c1', 'bread');
    await errands.reaches('a', 'done');
    expect(await errands.answerOf('a')).toEqual({ answer: 'bread' });
    expect(await errands.events('a')).toEqual(['errand.start', 'service.began', 'service.done']);
    expect([await errands.effects('a'), await errands.letters('a')]).toEqual([['1 done 1'], []]);
    expect(errands.reports).toEqual([]);
  });

  it('waits through several runs below each other', async () => {
    const errands = new Errands({ store: await onDisk() });
    await errands.start('a', 3);
    await until(() => errands.begun.length === 3);
    await errands.rests('a.c1.c1');
    await errands.answer('a.c1.c1.c1', 'milk');
    await errands.reaches('a', 'done');
    expect(await errands.answerOf('a')).toEqual({ answer: 'milk' });
  });

  it('hears of the end once, though its process died right after that, and though it is told twice', async () => {
    const first = await waiting({ isSlow: true });
    await first.answer('a.c1', 'eggs');
    expect(await first.letters('a')).toEqual(['childEnded']);
    await first.die();
    const next = await process(first.store);
    await next.reaches('a', 'done');
    expect(await next.letters('a')).toEqual([]);
    const row = await next.row('a');
    await next.store.commit(function* () {
      const body = JSON.stringify({ effectId: 1, runId: 'a.c1' });
      yield* ask('insertCommand', { tenant: 1, run: row.pk, kind: 'childEnded', body, at: 1 });
    });
    await next.commands.deliver();
    await first.commands.deliver();
    expect([await next.letters('a'), (await next.row('a')).seq]).toEqual([[], row.seq]);
    expect(next.reports).toEqual([]);
  });

  it('counts no attempt, however often all processes die meanwhile', async () => {
    let errands = await waiting();
    for (let life = 2; life <= 6; life++) {
      await errands.die();
      const next = await process(errands.store);
      expect(await next.effects('a')).toEqual(['1 linked 1']);
      // Its walk would be poisoned in the end: an orderly stop gives its attempt back.
      await next.engine.stop();
      errands = next;
    }
    expect((await errands.events('a')).filter((type) => type !== 'run.resumed')).toEqual([
      'errand.start',
      'service.began',
    ]);
  });

  it('goes on when that one ended before its beginning was on record', async () => {
    const gate = Promise.withResolvers<void>();
    const errands = new Errands({ store: await onDisk(), began: () => gate.promise });
    await errands.start('a', 1);
    await until(() => errands.begun.length === 1);
    await errands.answer('a.c1', 'salt');
    await errands.reaches('a', 'done');
    gate.resolve();
    await quiet();
    expect(await errands.events('a')).toEqual(['errand.start', 'service.done']);
    expect([await errands.effects('a'), errands.reports]).toEqual([['1 done 1'], []]);
  });

  it('begins no second run when its process died before the beginning was on record', async () => {
    const first = new Errands({ store: await onDisk(), began: () => new Promise(() => {}) });
    await first.start('a', 1);
    await until(() => first.begun.length === 1);
    await first.die();
    const next = await process(first.store);
    await next.rests('a', '1 linked 2');
    await next.answer('a.c1', 'rice');
    await next.reaches('a', 'done');
    expect(next.begun).toEqual(['a.c1']);
  });

  it('has the result when that one ended while no process lived that had begun it', async () => {
    const first = new Errands({
      store: await onDisk(),
      isSlow: true,
      began: () => new Promise(() => {}),
    });
    await first.start('a', 1);
    await first.answer('a.c1', 'tea');
    await first.die();
    const next = await process(first.store);
    await next.reaches('a', 'done');
    expect(await next.answerOf('a')).toEqual({ answer: 'tea' });
    await quiet();
    expect(await next.letters('a')).toEqual([]);
  });

  it('cancels that one in the commit in which it is cancelled, or leaves it', async () => {
    for (const [type, state] of [
      ['run.cancel', 'cancelled'],
      ['errand.leave', 'walking'],
    ] as const) {
      const errands = await waiting();
      await errands.send('a', { type });
      await errands.reaches('a.c1', 'cancelled');
      expect(await errands.state('a')).toBe(state);
      expect((await errands.effects('a'))[0]).toBe('1 cancelled 1');
      // Its end is of no interest any more.
      expect([await errands.letters('a'), await errands.letters('a.c1')]).toEqual([[], []]);
    }
  });

  it('has cancelled it by the time that the caller of its own cancel is told', async () => {
    // Letters are not delivered by themselves here.
    const errands = new Errands({ store: await onDisk(), isSlow: true });
    await errands.start('a', 2);
    await errands.reaches('a.c1.c1', 'walking');
    await errands.rests('a.c1');
    expect(await errands.commands.cancel(1, 'a')).toBe(true);
    expect(await Promise.all(['a', 'a.c1', 'a.c1.c1'].map((id) => errands.state(id)))).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    await errands.commands.deliver();
    expect(await errands.letters('a.c1.c1')).toEqual([]);
  });

  it('cancels that one though its process died right after it had left it', async () => {
    const first = await waiting({ isSlow: true });
    await first.send('a', { type: 'errand.leave' });
    expect([await first.state('a.c1'), await first.letters('a.c1')]).toEqual(['walking', ['cancel']]);
    await first.die();
    const next = await process(first.store);
    await next.reaches('a.c1', 'cancelled');
  });

  it('begins no run that it has left meanwhile', async () => {
    const gate = Promise.withResolvers<void>();
    const errands = new Errands({ store: await onDisk(), beginning: () => gate.promise });
    await errands.start('a', 1);
    await errands.send('a', { type: 'errand.leave' });
    gate.resolve();
    await quiet();
    expect(await errands.store.query('loadRun', { tenant: 1, id: 'a.c1' })).toBeUndefined();
    expect([errands.begun, errands.reports]).toEqual([[], []]);
  });

  it('hears of a run that was deleted before its result was read as of one that failed', async () => {
    const first = await waiting({ isSlow: true });
    await first.answer('a.c1', 'jam');
    const { pk } = await first.row('a.c1');
    await first.store.commit(() => ask('deleteRun', { run: pk }));
    await first.commands.deliver();
    await first.reaches('a', 'failed');
    expect(await first.answerOf('a')).toEqual({ answer: 'NOT_FOUND' });
  });

  it('has a fork that begins a run of its own', async () => {
    const errands = await waiting();
    const hosts = createMachineHosts([errands.host]);
    const fork = { tenant: 1, runId: 'a', seq: 2, newId: (kind: string) => `${kind}_copy`, at: 5 };
    const [previewed, moment] = await errands.store.commit(function* () {
      return [yield* previewFork(hosts, fork), yield* momentOf(hosts, fork, (text) => text)] as const;
    });
    expect(previewed.open).toEqual([
      { effect: 1, name: 'effect.run', status: 'pending', isSafeToRepeat: false },
    ]);
    expect(moment.effects).toEqual([{ effect: 1, name: 'effect.run', status: 'open' }]);
    expect(await forkAt(errands.store, hosts, fork)).toEqual({
      runId: 'run_copy',
      sessionId: 'ses_copy',
      open: [{ effect: 1, name: 'effect.run', status: 'pending' }],
    });
    expect(await errands.effects('run_copy')).toEqual(['1 pending 0']);
    await errands.engine.drive(await errands.row('run_copy'));
    await errands.rests('run_copy');
    await errands.answer('run_copy.c1', 'figs');
    await errands.reaches('run_copy', 'done');
    expect([await errands.state('a'), await errands.state('a.c1')]).toEqual(['passedOn', 'walking']);
    await errands.answer('a.c1', 'dates');
    await errands.reaches('a', 'done');
    expect(await errands.answerOf('a')).toEqual({ answer: 'dates' });
  });

  it('has no link in a fork of the run that it began', async () => {
    const errands = await waiting();
    const hosts = createMachineHosts([errands.host]);
    const fork = { tenant: 1, runId: 'a.c1', seq: 1, newId: (kind: string) => `${kind}_copy`, at: 5 };
    await forkAt(errands.store, hosts, fork);
    expect(JSON.parse((await errands.row('run_copy')).options)).toEqual({
      machine: 'errand',
      forkedFrom: { runId: 'a.c1', seq: 1 },
    });
    await errands.engine.drive(await errands.row('run_copy'));
    await errands.answer('run_copy', 'a copy');
    await quiet();
    expect([await errands.state('a'), await errands.letters('a')]).toEqual(['passedOn', []]);
  });

  it('is no reason to call the run that it began an orphan', async () => {
    const errands = await waiting();
    expect(await isOrphan(errands.store, await errands.row('a.c1'))).toBe(false);
  });

  it('is not told of a run that calls itself its own but ends another effect', async () => {
    const errands = await waiting();
    const of = { parentRunId: 'a', linked: true };
    for (const [id, options] of [
      ['b', { ...of, parentCall: 'c7' }],
      ['c', { ...of, parentCall: '1' }],
      ['d', { ...of, parentRunId: 'nothing', parentCall: 'c1' }],
    ] as const) {
      const made = errands.start(id, 0, options);
      if (id === 'c') await made;
      else await expect(made).rejects.toThrow(/no longer performs/);
    }
    await errands.answer('c', 'poison');
    await quiet();
    expect([await errands.state('a'), await errands.letters('a')]).toEqual(['passedOn', []]);
    const { pk: run } = await errands.row('a');
    await errands.store.commit(function* () {
      for (const runId of ['c', 'a.c1'])
        yield* ask('insertCommand', {
          tenant: 1,
          run,
          kind: 'childEnded',
          body: JSON.stringify({ effectId: 1, runId }),
          at: 1,
        });
    });
    await errands.commands.deliver();
    expect([await errands.state('a'), await errands.letters('a')]).toEqual(['passedOn', []]);
  });
});

describe('the end of a run that cannot be told', () => {
  const ended = async () => {
    const first = new Errands({ store: openInMemory(), isSlow: true });
    await first.start('a', 1);
    await first.rests('a');
    await first.answer('a.c1', 'figs');
    await first.die();
    return first.store;
  };

  const refusing = {
    CANNOT_DRIVE: { whyRefused: () => new DetentError('CANNOT_DRIVE', 'no') },
    MIGRATION_NEEDED: { host: (host) => ({ ...host, version: 2 }) },
    UNKNOWN_COMMAND: { host: ({ childEnded: _, ...host }) => host },
    INTERNAL: { host: (host) => ({ ...host, childEnded: () => Promise.reject(new Error('INTERNAL')) }) },
  } satisfies Record<string, Partial<ErrandOptions>>;

  it.each(Object.entries(refusing))(
    'waits for a program that can, and is reported once: %s',
    async (code, options: Partial<ErrandOptions>) => {
      const store = await ended();
      const other = new Errands({ store, ...options });
      // As the last driver of the run.
      await other.engine.join();
      const { pk, fence } = await other.row('a');
      await store.commit(function* () {
        yield* ask('claimRun', { pk, seen: fence, me: other.engine.me ?? 0 });
        yield* ask('passRun', { pk, driver: noDriver });
      });
      for (let looks = 1; looks <= 3; looks++) await other.commands.deliver();
      expect(other.reports.map(({ runId }) => runId)).toEqual(['a']);
      expect(JSON.stringify([other.reports[0]?.error, String(other.reports[0]?.error)])).toContain(code);
      expect([await other.letters('a'), await other.state('a')]).toEqual([['childEnded'], 'passedOn']);
      const next = new Errands({ store });
      await next.resume();
      await next.reaches('a', 'done');
    },
  );

  it('waits for a process that drives its session', async () => {
    const store = await ended();
    const other = new Errands({ store });
    await other.start('b', 0);
    await other.engine.drive({ session: (await other.row('b')).session });
    await other.commands.deliver();
    expect([await other.letters('a'), other.reports]).toEqual([['childEnded'], []]);
    await other.resume();
    await other.reaches('a', 'done');
  });
});
