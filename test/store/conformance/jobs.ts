import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryRow, FireRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { every, put, runInput, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

const job = { tenant: 1, job: 'daily' };
const blank = { reason: null, runId: null, error: null, begunAt: null, endedAt: null };

const jobInput = (over: object = {}) => ({
  tenant: 1,
  id: 'daily',
  user: null,
  key: 'job_k',
  run: 1,
  runId: 'r1',
  source: 'user',
  createdAt: 1,
  updatedAt: 1,
  ...over,
});

const fireInput = (over: Partial<FireRow> = {}) => ({
  ...job,
  ...blank,
  n: 1,
  slot: 100,
  kind: 'slot',
  status: 'waiting' as const,
  ...over,
});

const deliveryInput = (over: Partial<DeliveryRow> = {}) => ({
  ...job,
  n: 1,
  target: 0,
  isAlert: 0,
  spec: '{"kind":"console"}',
  status: 'pending' as const,
  attempt: 0,
  error: null,
  dueAt: null,
  updatedAt: 5,
  messageId: null,
  ...over,
});

export function describeJobs(opened: () => Store): void {
  let store: Store;

  const find = (id = 'daily', tenant = 1) => store.query('findJob', { tenant, id });
  const fire = (n = 1) => store.query('findFire', { ...job, n });

  describe('jobs', () => {
    beforeEach(async () => {
      store = opened();
      await withRuns(store, 2);
      await put(store, 'insertJob', jobInput());
    });

    it('are read with the state of their run, by their tenant alone', async () => {
      expect(await find()).toMatchObject({ id: 'daily', run: 1, key: 'job_k', ended: 0 });
      expect(await find('daily', 2)).toBeUndefined();
      await expectCode(put(store, 'insertJob', jobInput()), 'DATABASE_FAILED');
      await expectCode(put(store, 'insertJob', jobInput({ id: 'other', run: 99 })), 'DATABASE_FAILED');
    });

    it('go on in another run', async () => {
      expect(await put(store, 'moveJob', { tenant: 1, id: 'daily', run: 2, runId: 'r2' })).toBe(1);
      expect(await find()).toMatchObject({ run: 2, runId: 'r2' });
      expect(await put(store, 'moveJob', { tenant: 2, id: 'daily', run: 2, runId: 'r2' })).toBe(0);
    });

    it('are listed by their ids, a page at a time, and by their user', async () => {
      await put(store, 'insertJob', jobInput({ id: 'b', user: 'ada' }));
      await put(store, 'insertJob', jobInput({ id: 'a', user: 'ada' }));
      const ids = async (list: Promise<{ id: string }[]>) => (await list).map(({ id }) => id);
      expect(await ids(store.query('listJobs', { tenant: 1, after: '', limit: 2 }))).toEqual(['a', 'b']);
      expect(await ids(store.query('listJobs', { tenant: 1, after: 'b', limit: 2 }))).toEqual(['daily']);
      const own = { tenant: 1, user: 'ada', after: 'a', limit: 9 };
      expect(await ids(store.query('listUserJobs', own))).toEqual(['b']);
    });

    it('keep their run: it cannot be deleted under them', async () => {
      await expectCode(put(store, 'deleteRunsOf', { session: 1 }), 'DATABASE_FAILED');
    });

    it('have each slot once, and any number of runs by hand at one time', async () => {
      await put(store, 'insertFire', fireInput());
      await expectCode(put(store, 'insertFire', fireInput({ n: 2 })), 'DATABASE_FAILED');
      await expectCode(put(store, 'insertFire', fireInput({ slot: 200 })), 'DATABASE_FAILED');
      await put(store, 'insertFire', fireInput({ n: 2, kind: 'manual' }));
      await put(store, 'insertFire', fireInput({ n: 3, kind: 'manual' }));
      expect(await store.query('listFires', { ...job, below: 3, limit: 9 })).toMatchObject([
        { n: 2, kind: 'manual' },
        { n: 1, kind: 'slot' },
      ]);
    });

    it('tell of a slot from its begin to its end', async () => {
      await put(store, 'insertFire', fireInput());
      await put(store, 'beginFire', { ...job, n: 1, at: 101 });
      for (const at of [102, 103]) await put(store, 'nameFireRun', { ...job, n: 1, runId: 'r9', at });
      expect(await fire()).toMatchObject({ status: 'running', begunAt: 102, runId: 'r9', endedAt: null });
      const end = { status: 'failed' as const, reason: null, error: '{}', runId: 'r9', at: 110 };
      await put(store, 'endFire', { ...job, n: 1, ...end });
      expect(await fire()).toMatchObject({ status: 'failed', endedAt: 110, error: '{}' });
      expect(await put(store, 'endFire', { ...job, n: 7, ...end })).toBe(0);
    });

    it('give the oldest slots that ended, to be deleted with their deliveries', async () => {
      for (const n of [1, 2, 3]) await put(store, 'insertFire', fireInput({ n, slot: n }));
      const end = { status: 'ok' as const, reason: null, error: null, runId: null, at: 9 };
      for (const n of [1, 3]) await put(store, 'endFire', { ...job, n, ...end });
      await put(store, 'insertDelivery', deliveryInput({ status: 'delivered' }));
      const old = await store.query('listOldFires', { ...job, after: 0, below: 3, limit: 9 });
      expect(old.map(({ n }) => n)).toEqual([1]);
      expect(await put(store, 'deleteFire', { ...job, n: 1 })).toBe(1);
      expect(await store.query('listDeliveries', { ...job, n: 1 })).toEqual([]);
    });

    it('do not give old slots with a delivery under way, nor those already seen', async () => {
      for (const n of [1, 2, 3]) await put(store, 'insertFire', fireInput({ n, slot: n, endedAt: 9 }));
      await put(store, 'insertDelivery', deliveryInput({ n: 2 }));
      await put(store, 'insertDelivery', deliveryInput({ n: 3, status: 'dead' }));
      const old = async (after: number) =>
        (await store.query('listOldFires', { ...job, after, below: 9, limit: 9 })).map(({ n }) => n);
      expect(await old(0)).toEqual([1, 3]);
      expect(await old(1)).toEqual([3]);
    });

    it('have each time once, and again when its slot was deleted', async () => {
      await put(store, 'insertFire', fireInput({ n: 1, slot: 5 }));
      await put(store, 'insertFire', fireInput({ n: 2, slot: 5, kind: 'manual' }));
      await expectCode(put(store, 'insertFire', fireInput({ n: 3, slot: 5 })), 'DATABASE_FAILED');
      await put(store, 'deleteFire', { ...job, n: 2 });
      await expectCode(put(store, 'insertFire', fireInput({ n: 3, slot: 5 })), 'DATABASE_FAILED');
      await put(store, 'deleteFire', { ...job, n: 1 });
      await put(store, 'insertFire', fireInput({ n: 3, slot: 5 }));
    });

    it('leave ended runs behind, which are found and deleted', async () => {
      const { pk } = await put(store, 'insertSession', { tenant: 1, key: '\u0001job:x', user: null, at: 1 });
      const left = (id: string, ordinal: number, over: object = {}) =>
        put(store, 'insertRun', runInput({ id, session: pk, ordinal, machine: 'job', ended: 1, ...over }));
      const run = (await left('j1', 1, { createdAt: 20 })).pk;
      await left('j2', 2, { createdAt: 10 });
      await left('j3', 3, { createdAt: 99 });
      await left('j4', 4, { createdAt: 10, ended: 0 });
      await left('j5', 5, { createdAt: 10, machine: 'run' });
      const named = (await left('j6', 6, { createdAt: 10 })).pk;
      await put(store, 'insertJob', jobInput({ id: 'named', run: named, runId: 'j6' }));
      const ids = async (limit: number) =>
        (await store.query('listLeftJobRuns', { before: 99, limit })).map(({ id }) => id);
      expect(await ids(9)).toEqual(['j2', 'j1']);
      expect(await ids(1)).toEqual(['j2']);
      expect(await put(store, 'deleteRun', { run })).toBe(1);
      expect(await put(store, 'deleteRun', { run })).toBe(0);
      expect(await ids(9)).toEqual(['j2']);
      await expectCode(put(store, 'deleteRun', { run: named }), 'DATABASE_FAILED');
    });

    it('have deliveries of slots that exist, results before alerts', async () => {
      await expectCode(put(store, 'insertDelivery', deliveryInput()), 'DATABASE_FAILED');
      await put(store, 'insertFire', fireInput());
      await put(store, 'insertDelivery', deliveryInput({ isAlert: 1 }));
      await put(store, 'insertDelivery', deliveryInput({ target: 1 }));
      await put(store, 'insertDelivery', deliveryInput());
      await expectCode(put(store, 'insertDelivery', deliveryInput()), 'DATABASE_FAILED');
      const key = { ...job, n: 1, target: 1, isAlert: 0 };
      const change = { status: 'dead' as const, attempt: 3, error: '{}', dueAt: null, updatedAt: 8 };
      expect(await put(store, 'changeDelivery', { ...key, ...change })).toBe(1);
      expect(await store.query('findDelivery', key)).toMatchObject({ status: 'dead', attempt: 3 });
      expect(await store.query('countLost', job)).toEqual({ lost: 1 });
      expect(await store.query('listDeliveries', { ...job, n: 1 })).toMatchObject([
        { target: 0, isAlert: 0 },
        { target: 1, isAlert: 0 },
        { target: 0, isAlert: 1 },
      ]);
    });

    it('take their slots and deliveries with them', async () => {
      await put(store, 'insertFire', fireInput());
      await put(store, 'insertDelivery', deliveryInput());
      expect(await put(store, 'deleteJob', { tenant: 1, id: 'daily' })).toBe(1);
      await put(store, 'insertJob', jobInput());
      expect(await fire()).toBeUndefined();
    });

    it('are not among the runs and sessions that people see', async () => {
      const { pk } = await put(store, 'insertSession', { tenant: 1, key: '\u0001job:x', user: null, at: 1 });
      await put(store, 'insertRun', runInput({ id: 'job_x', session: pk, ordinal: 1, machine: 'job' }));
      const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
      expect(ids(await store.query('listRuns', { tenant: 1, limit: 9 }))).not.toContain('job_x');
      expect((await store.query('newestRun', { tenant: 1 }))?.id).not.toBe('job_x');
      expect(await store.query('listRunIds', { tenant: 1, from: 'job', below: 'job_y', limit: 9 })).toEqual(
        [],
      );
      expect(ids(await store.query('listRunMarks', { tenant: 1, after: 0, limit: 9 }))).not.toContain(
        'job_x',
      );
      const sessions = await store.query('listSessions', { tenant: 1, ...every, limit: 9 });
      expect(sessions.map(({ key }) => key)).not.toContain('\u0001job:x');
    });
  });
}
