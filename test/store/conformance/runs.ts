import { beforeEach, describe, expect, it } from 'vitest';
import { noDriver, type RunRow } from '../../../src/store/rows.ts';
import type { In } from '../../../src/store/statements.ts';
import type { Store } from '../../../src/store/store.ts';
import { endRun, idOf, put, runInput, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

/** Steps that are not the next one of the run, or not of its driver. */
const others = [
  ['another seq', { was: 1 }],
  ['an older fence', { fence: 0 }],
  ['a newer fence', { fence: 2 }],
  ['another driver', { wasDriver: 1 }],
  ['no driver', { wasDriver: null }],
  ['another run', { pk: 2 }],
] as const;

export function describeRuns(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('runs', () => {
    const stored: RunRow = { ...runInput(), pk: 1, sessionKey: 's1', user: null, faults: 0, updatedAt: 10 };
    const load = (id: string, tenant = 1) => store.query('loadRun', { tenant, id });

    it('reads back what was written', async () => {
      await withRuns(store);
      expect(await load('r1')).toEqual(stored);
      expect(await load('r2')).toBeUndefined();
    });

    it('has one run for an id and a tenant, and for a place in a lane', async () => {
      await withRuns(store);
      await expectCode(put(store, 'insertRun', runInput({ ordinal: 2 })), 'DATABASE_FAILED');
      await expectCode(put(store, 'insertRun', runInput({ id: 'r2' })), 'DATABASE_FAILED');
      expect(await store.query('listRunsOf', { session: 1, limit: 9 })).toHaveLength(1);
      const { pk: session } = await put(store, 'insertSession', { tenant: 2, key: 's1', user: null, at: 6 });
      const { pk } = await put(store, 'insertRun', runInput({ tenant: 2, session }));
      // What was refused may have used up numbers.
      expect(pk).toBeGreaterThan(1);
    });

    it('refuses a run of no session', () =>
      expectCode(put(store, 'insertRun', runInput()), 'DATABASE_FAILED'));

    describe.each([
      ['advanceRun', 0],
      ['endRun', 1],
    ] as const)('%s', (statement, ended) => {
      const step: In<'endRun'> = {
        pk: 1,
        was: 0,
        wasDriver: noDriver,
        fence: 1,
        seq: 1,
        state: '"elsewhere"',
        context: '{"n":1}',
        output: '"bye"',
        updatedAt: 12,
      };

      it('changes what a transition may change, and nothing else', async () => {
        await withRuns(store);
        const tooMuch = { ...step, id: 'other', ordinal: 5, machine: 'x', faults: 3 };
        expect(await put(store, statement, tooMuch)).toBe(1);
        const { pk, was, wasDriver, fence, output, ...changes } = step;
        const over = ended ? { ended: 1, output } : {};
        expect(await load('r1')).toEqual({ ...stored, ...changes, ...over });
      });

      it.each(others)('misses with %s', async (_, over) => {
        await withRuns(store);
        expect(await put(store, statement, { ...step, ...over })).toBe(0);
        expect(await load('r1')).toEqual(stored);
      });
    });

    describe('migrateRun', () => {
      const step = {
        pk: 1,
        was: 0,
        wasDriver: noDriver,
        fence: 1,
        seq: 1,
        version: 2,
        state: '"moved"',
        context: '{"n":2}',
        options: '{"chart":"b"}',
      };

      it('changes the version with state, context and options, and no time', async () => {
        await withRuns(store);
        expect(await put(store, 'migrateRun', step)).toBe(1);
        const { pk, was, wasDriver, fence, ...changes } = step;
        expect(await load('r1')).toEqual({ ...stored, ...changes });
      });

      it.each(others)('misses with %s', async (_, over) => {
        await withRuns(store);
        expect(await put(store, 'migrateRun', { ...step, ...over })).toBe(0);
        expect(await load('r1')).toEqual(stored);
      });

      it('leaves a run that has ended as it is', async () => {
        await withRuns(store);
        await endRun(store, 1);
        const ended = (await load('r1')) as RunRow;
        expect(await put(store, 'migrateRun', { ...step, was: ended.seq, fence: ended.fence })).toBe(0);
        expect(await load('r1')).toEqual(ended);
      });
    });

    it('counts faults', async () => {
      await withRuns(store);
      expect(await put(store, 'countFault', { pk: 1 })).toBe(1);
      expect(await put(store, 'countFault', { pk: 1 })).toBe(1);
      expect(await put(store, 'countFault', { pk: 2 })).toBe(0);
      expect(await load('r1')).toEqual({ ...stored, faults: 2 });
    });

    it('lists the newest first', async () => {
      await withRuns(store, 3);
      const ids = async (limit: number) => (await store.query('listRuns', { tenant: 1, limit })).map(idOf);
      expect(await ids(9)).toEqual(['r3', 'r2', 'r1']);
      expect(await ids(2)).toEqual(['r3', 'r2']);
      expect(await ids(0)).toEqual([]);
      expect((await store.query('listRuns', { tenant: 1, limit: 1 }))[0]?.sessionKey).toBe('s1');
    });

    it('counts those that have not ended, and those that ended, by their state', async () => {
      await withRuns(store, 3);
      await endRun(store, 2);
      expect(await store.query('countActiveRuns', { tenant: 1, user: null, reach: null })).toEqual([
        { machine: 'run', state: '"idle"', unstarted: 1, driver: noDriver, runs: 2 },
      ]);
      const ended = (since: number) =>
        store.query('countEndedRuns', { tenant: 1, user: null, reach: null, since });
      expect(await ended(12)).toEqual([{ machine: 'run', state: '"done"', runs: 1 }]);
      expect(await ended(13)).toEqual([]);
      expect(await store.query('countActiveRuns', { tenant: 2, user: null, reach: null })).toEqual([]);
      expect(await store.query('countActiveRuns', { tenant: 1, user: 'ada', reach: null })).toEqual([]);
    });

    it('finds the newest run that is not a sub-run', async () => {
      expect(await store.query('newestRun', { tenant: 1 })).toBeUndefined();
      await withRuns(store, 2);
      await put(store, 'insertRun', runInput({ id: 'r2.c4', ordinal: 3 }));
      expect((await store.query('newestRun', { tenant: 1 }))?.id).toBe('r2');
    });

    it('lists the ids between two words, in their order, without sub-runs', async () => {
      await withRuns(store);
      for (const [i, id] of ['ra2', 'ra10', 'ra1', 'ra1.c4', 'rb', 'r'].entries())
        await put(store, 'insertRun', runInput({ id, ordinal: i + 2 }));
      const ids = async (from: string, below: string, limit = 9) =>
        (await store.query('listRunIds', { tenant: 1, from, below, limit })).map(({ id }) => id);
      expect(await ids('ra', 'ra~')).toEqual(['ra1', 'ra10', 'ra2']);
      expect(await ids('ra', 'ra~', 2)).toEqual(['ra1', 'ra10']);
      expect(await ids('r', 'ra')).toEqual(['r', 'r1']);
      expect(await ids('rc', 'rd')).toEqual([]);
    });

    it('tells how far each run is, the oldest first, from one on', async () => {
      await withRuns(store, 3);
      await endRun(store, 2);
      const marks = (after: number, limit = 9) => store.query('listRunMarks', { tenant: 1, after, limit });
      expect(await marks(0)).toEqual([
        { pk: 1, id: 'r1', seq: 0, ended: 0, sessionKey: 's1' },
        { pk: 2, id: 'r2', seq: 1, ended: 1, sessionKey: 's1' },
        { pk: 3, id: 'r3', seq: 0, ended: 0, sessionKey: 's1' },
      ]);
      expect((await marks(1)).map(({ id }) => id)).toEqual(['r2', 'r3']);
      expect((await marks(0, 1)).map(({ id }) => id)).toEqual(['r1']);
      expect(await marks(3)).toEqual([]);
    });
  });
}
