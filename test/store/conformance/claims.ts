import { beforeEach, describe, expect, it } from 'vitest';
import { noDriver } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { ask } from '../../support/ask.ts';
import { endRun, give, idOf, put, runInput, withDrivers, withRuns } from '../rows.ts';

export function describeClaims(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('a claim', () => {
    const load = async (id = 'r1') => {
      const row = await store.query('loadRun', { tenant: 1, id });
      if (!row) throw new Error(`no run ${id}`);
      return row;
    };
    const claim = (seen: number, me = 1) => put(store, 'claimRun', { pk: 1, seen, me });
    const pass = (pk: number, driver: number | null) => put(store, 'passRun', { pk, driver });

    beforeEach(async () => {
      await withRuns(store, 3);
      await withDrivers(store, 2);
    });

    it.each([
      ['at rest', noDriver],
      ['that wants a driver', null],
      ['that the driver has already', 1],
    ])('takes a run %s, with the next fence', async (_, driver) => {
      await pass(1, driver);
      const before = await load();
      expect(await claim(1)).toBe(1);
      expect(await load()).toEqual({ ...before, driver: 1, lastDriver: 1, fence: 2 });
    });

    it('misses the run of another driver, and with it the one of a buried driver that was not abandoned', async () => {
      await give(store, 1, 2);
      const before = await load();
      expect(await claim(2)).toBe(0);
      await put(store, 'endDriver', { epoch: 2, at: 12 });
      expect(await claim(2)).toBe(0);
      expect(await load()).toEqual(before);
      await put(store, 'abandonRunsOf', { driver: 2 });
      expect(await claim(2)).toBe(1);
      expect(await load()).toEqual({ ...before, driver: 1, lastDriver: 1, fence: 3 });
    });

    it.each([
      ['an older fence', { seen: 0 }],
      ['a newer fence', { seen: 2 }],
      ['no such run', { pk: 9 }],
      ['no such driver', { me: 3 }],
      ['the epoch that no driver has', { me: noDriver }],
    ])('misses with %s', async (_, over) => {
      const before = await load();
      expect(await put(store, 'claimRun', { pk: 1, seen: 1, me: 1, ...over })).toBe(0);
      expect(await load()).toEqual(before);
    });

    it('misses a run that has ended', async () => {
      await endRun(store, 1);
      expect(await claim(1)).toBe(0);
    });

    it('misses for a driver that was buried, also for its own run', async () => {
      await give(store, 1, 1);
      await put(store, 'endDriver', { epoch: 1, at: 12 });
      expect(await claim(2)).toBe(0);
      await put(store, 'abandonRunsOf', { driver: 1 });
      expect(await claim(2)).toBe(0);
      expect(await load()).toMatchObject({ driver: null, lastDriver: 1, fence: 2 });
    });

    it('goes to one of two that have seen the same run', async () => {
      const outcomes = await Promise.all([1, 2].map((me) => claim(1, me)));
      // Either may be the faster one where a server has a connection for each.
      expect(outcomes.toSorted()).toEqual([0, 1]);
      const driver = outcomes.indexOf(1) + 1;
      expect(await load()).toMatchObject({ driver, lastDriver: driver, fence: 2 });
    });

    it('stops the driver that had the run', async () => {
      await give(store, 1, 2);
      await put(store, 'endDriver', { epoch: 2, at: 12 });
      await put(store, 'abandonRunsOf', { driver: 2 });
      await claim(2);
      const step = { pk: 1, was: 0, seq: 1, state: '"b"', context: '{}', output: null, updatedAt: 12 };
      const before = await load();
      for (const statement of ['advanceRun', 'endRun'] as const)
        expect(await put(store, statement, { ...step, wasDriver: 2, fence: 2 })).toBe(0);
      const moved = { ...step, version: 2, options: '{}', wasDriver: 2, fence: 2 };
      expect(await put(store, 'migrateRun', moved)).toBe(0);
      expect(await load()).toEqual(before);
      expect(await put(store, 'advanceRun', { ...step, wasDriver: 1, fence: 3 })).toBe(1);
    });

    it('stands or falls with its commit', async () => {
      const failing = store.commit(function* () {
        yield* ask('claimRun', { pk: 1, seen: 1, me: 1 });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await load()).toMatchObject({ driver: noDriver, lastDriver: null, fence: 1 });
      expect(await store.query('listOwnHeads', { driver: 1 })).toEqual([]);
    });

    it('ends when the run is passed on, which changes nothing else', async () => {
      await give(store, 1, 1);
      const claimed = await load();
      for (const driver of [noDriver, null, 2]) {
        expect(await pass(1, driver)).toBe(1);
        expect(await load()).toEqual({ ...claimed, driver });
      }
      expect(await pass(9, 1)).toBe(0);
    });
  });

  describe('runs that want a driver', () => {
    it('are listed oldest first, of every tenant, without those that have ended, in portions', async () => {
      await withRuns(store, 3);
      await withDrivers(store, 1);
      await put(store, 'insertSession', { tenant: 2, key: 's1', user: null, at: 6 });
      await put(store, 'insertRun', runInput({ tenant: 2, id: 'other', session: 2, driver: null }));
      await put(store, 'insertRun', runInput({ id: 'r4', ordinal: 4, driver: null }));
      await put(store, 'insertRun', runInput({ id: 'r5', ordinal: 5, driver: null, ended: 1 }));
      await put(store, 'insertRun', runInput({ id: 'r0', ordinal: 0, driver: null }));
      await give(store, 2, 1);
      const list = (after: number, limit: number) => store.query('listAbandonedRuns', { after, limit });
      const ids = async () => (await list(0, 9)).map(idOf);
      expect(await ids()).toEqual(['other', 'r4', 'r0']);
      const [other, ...rest] = await list(0, 2);
      expect(other).toEqual({ pk: 4, tenant: 2, id: 'other', session: 2, lastDriver: null, updatedAt: 10 });
      expect(rest.map(idOf)).toEqual(['r4']);
      expect((await list(rest[0]?.pk ?? 0, 2)).map(idOf)).toEqual(['r0']);
      await put(store, 'abandonRunsOf', { driver: 1 });
      expect(await ids()).toEqual(['r2', 'other', 'r4', 'r0']);
      await put(store, 'passRun', { pk: 2, driver: noDriver });
      expect(await ids()).toEqual(['other', 'r4', 'r0']);
    });
  });

  describe('own heads', () => {
    const heads = async (driver: number) => (await store.query('listOwnHeads', { driver })).map(idOf);

    it('are the runs of a driver that have not moved, and that no unfinished run precedes', async () => {
      await withRuns(store, 3);
      await withDrivers(store, 2);
      expect(await heads(1)).toEqual([]);
      for (const pk of [2, 3]) await give(store, pk, 1);
      expect(await heads(1)).toEqual([]);
      await endRun(store, 1);
      expect(await heads(1)).toEqual(['r2']);
      expect(await heads(2)).toEqual([]);
      const moved = {
        pk: 2,
        was: 0,
        wasDriver: 1,
        seq: 1,
        fence: 2,
        state: '"b"',
        context: '{}',
        updatedAt: 12,
      };
      await put(store, 'advanceRun', moved);
      expect(await heads(1)).toEqual([]);
      await put(store, 'endRun', { ...moved, was: 1, seq: 2, output: null });
      expect(await heads(1)).toEqual(['r3']);
      await put(store, 'passRun', { pk: 3, driver: noDriver });
      expect(await heads(1)).toEqual([]);
    });

    it('wait for the run of another driver, and for one at rest', async () => {
      await withRuns(store, 3);
      await withDrivers(store, 2);
      await give(store, 1, 2);
      await give(store, 3, 1);
      expect(await heads(2)).toEqual(['r1']);
      expect(await heads(1)).toEqual([]);
      const ended = { pk: 1, was: 0, wasDriver: 2, seq: 1, fence: 2, state: '"done"', context: '{}' };
      await put(store, 'endRun', { ...ended, output: null, updatedAt: 12 });
      // The second run is at rest.
      expect(await heads(1)).toEqual([]);
      await endRun(store, 2);
      expect(await heads(1)).toEqual(['r3']);
    });

    it('are of many lanes, the oldest run first, by the order of places, not of writing', async () => {
      await withRuns(store, 0);
      await withDrivers(store, 1);
      await put(store, 'insertSession', { tenant: 2, key: 's1', user: null, at: 6 });
      const mine = { driver: 1, lastDriver: 1 };
      await put(store, 'insertRun', runInput({ tenant: 2, id: 'other', session: 2, ...mine }));
      for (const ordinal of [2, 1])
        await put(store, 'insertRun', runInput({ id: `r${ordinal}`, ordinal, ...mine }));
      expect(await heads(1)).toEqual(['other', 'r1']);
    });
  });
}
