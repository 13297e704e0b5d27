import { beforeEach, describe, expect, it } from 'vitest';
import { noDriver } from '../../../src/store/rows.ts';
import type { In } from '../../../src/store/statements.ts';
import type { Store } from '../../../src/store/store.ts';
import { commandInput, endRun, give, put, runInput, waitingFor, withDrivers, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeCommands(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('commands', () => {
    const post = (over: Partial<In<'insertCommand'>> = {}) => put(store, 'insertCommand', commandInput(over));
    const find = (id: number) => store.query('findCommand', { id });
    const settle = (id: number, outcome = '{"value":1}') =>
      put(store, 'settleCommand', { id, outcome, at: 12 });
    const to = async (run: number) => (await waitingFor(store, run)).map(({ id }) => id);
    const forDriver = async (driver: number) =>
      (await store.query('listCommandsFor', { driver })).map(({ id }) => id);
    const { at, ...asked } = commandInput();
    const stored = { ...asked, id: 1, runId: 'r1', outcome: null };

    it('are numbered, and read back with the name of their run', async () => {
      await withRuns(store);
      expect(await post()).toEqual({ id: 1 });
      expect(await post({ kind: 'message', body: '{}' })).toEqual({ id: 2 });
      expect(await find(1)).toEqual(stored);
      expect(await find(2)).toEqual({ ...stored, id: 2, kind: 'message', body: '{}' });
      expect(await find(3)).toBeUndefined();
    });

    it('refuses one to no run', () => expectCode(post(), 'DATABASE_FAILED'));

    it('have one outcome, which clears what they asked', async () => {
      await withRuns(store);
      await post();
      expect(await settle(1)).toBe(1);
      expect(await settle(1, '{"value":2}')).toBe(0);
      expect(await settle(2)).toBe(0);
      expect(await find(1)).toEqual({ ...stored, body: '', outcome: '{"value":1}' });
      expect(await to(1)).toEqual([]);
    });

    it('wait for a run in the order in which they came', async () => {
      await withRuns(store, 2);
      for (const run of [1, 2, 1, 1]) await post({ run });
      await settle(3);
      expect(await waitingFor(store, 1)).toEqual([stored, { ...stored, id: 4 }]);
      expect(await to(2)).toEqual([2]);
      expect(await to(3)).toEqual([]);
    });

    it('wait for the driver that has the run, or had it last before it came to rest', async () => {
      await withRuns(store, 3);
      await withDrivers(store, 2);
      await give(store, 1, 1);
      await give(store, 2, 2);
      for (const run of [2, 1, 3, 1]) await post({ run });
      await settle(4);
      // No driver ever had the third run.
      expect(await forDriver(1)).toEqual([2]);
      expect(await forDriver(2)).toEqual([1]);
      expect(await store.query('listCommandsFor', { driver: 1 })).toEqual([{ ...stored, id: 2 }]);
      await put(store, 'passRun', { pk: 2, driver: noDriver });
      expect(await forDriver(2)).toEqual([1]);
      // It wants a driver: who claims it looks for its commands.
      await put(store, 'passRun', { pk: 2, driver: null });
      expect(await forDriver(2)).toEqual([]);
      expect(await to(2)).toEqual([1]);
      await put(store, 'claimRun', { pk: 2, seen: 2, me: 1 });
      expect(await forDriver(1)).toEqual([1, 2]);
      expect(await forDriver(2)).toEqual([]);
    });

    it('are left when no driver has their run, or when the last one of a run at rest has ended', async () => {
      await withRuns(store, 3);
      await withDrivers(store, 2);
      for (const run of [1, 2]) await give(store, run, run);
      for (const run of [2, 1, 3]) await post({ run });
      const left = async () => (await store.query('listLeftCommands', {})).map(({ id }) => id);
      expect(await left()).toEqual([]);
      await put(store, 'passRun', { pk: 2, driver: noDriver });
      expect(await left()).toEqual([]);
      await put(store, 'endDriver', { epoch: 2, at: 12 });
      expect(await left()).toEqual([1]);
      await put(store, 'endDriver', { epoch: 1, at: 12 });
      // The next driver of its run takes it from there.
      expect(await left()).toEqual([1]);
      await put(store, 'abandonRunsOf', { driver: 1 });
      expect(await store.query('listLeftCommands', {})).toEqual([
        { ...stored, id: 1, run: 2, runId: 'r2' },
        { ...stored, id: 2 },
      ]);
      await settle(1);
      expect(await left()).toEqual([2]);
    });

    it('are left, too, when the run has ended, and then its driver', async () => {
      await withRuns(store);
      await withDrivers(store, 1);
      await give(store, 1, 1);
      await post();
      const ended = { pk: 1, was: 0, wasDriver: 1, seq: 1, fence: 2, state: '"done"', context: '{}' };
      expect(await put(store, 'endRun', { ...ended, output: null, updatedAt: 12 })).toBe(1);
      expect(await store.query('listLeftCommands', {})).toEqual([]);
      await put(store, 'endDriver', { epoch: 1, at: 12 });
      expect(await store.query('listLeftCommands', {})).toEqual([stored]);
    });

    it('wait for a run that has ended, until they have an outcome', async () => {
      await withRuns(store);
      await post();
      await endRun(store, 1);
      expect(await to(1)).toEqual([1]);
      await settle(1);
      expect(await to(1)).toEqual([]);
    });

    it('are deleted with their run, and their numbers do not come again', async () => {
      await withRuns(store, 2);
      await withDrivers(store, 1);
      await give(store, 2, 1);
      await put(store, 'insertSession', { tenant: 2, key: 's1', user: null, at: 6 });
      const { pk: other } = await put(store, 'insertRun', runInput({ tenant: 2, session: 2 }));
      for (const run of [other, 1, 2]) await post({ run, tenant: run === other ? 2 : 1 });
      await settle(2);
      await put(store, 'deleteRunsOf', { session: 1 });
      expect([await find(2), await find(3)]).toEqual([undefined, undefined]);
      expect([await settle(2), await settle(3)]).toEqual([0, 0]);
      expect([await to(1), await to(2), await to(other)]).toEqual([[], [], [1]]);
      expect(await forDriver(1)).toEqual([]);
      expect(await post({ run: other, tenant: 2 })).toEqual({ id: 4 });
      expect(await find(4)).toMatchObject({ tenant: 2, run: other, runId: 'r1' });
    });
  });
}
