import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { noDriver, type RunRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { ask } from '../../support/ask.ts';
import { driverInput, effectInput, eventInput, put, readAll, runInput, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';
import { changeEverything, populate } from './everything.ts';

export function describeCommits(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('commit', () => {
    it('answers with what the program returns, which sees its own writes', async () => {
      const seen = await store.commit(function* () {
        const { pk } = yield* ask('insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
        yield* ask('moveSessionHead', { session: pk, run: 2, seq: 3 });
        return yield* ask('findSession', { tenant: 1, key: 's1' });
      });
      expect(seen).toMatchObject({ pk: 1, headRun: 2, headSeq: 3 });
    });

    it('takes back everything when the program throws', async () => {
      await populate(store);
      const before = await readAll(store);
      const failure = new Error('no');
      const failing = store.commit(function* () {
        yield* changeEverything();
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      expect(await readAll(store)).toEqual(before);
      await store.commit(changeEverything);
      expect(await readAll(store)).not.toEqual(before);
      const row = await store.query('loadRun', { tenant: 1, id: 'new' });
      expect(row?.pk).toBeGreaterThan(2);
    });

    it('takes back what came before a refused statement', async () => {
      await withRuns(store);
      const before = await readAll(store);
      const failing = store.commit(function* () {
        yield* ask('countFault', { pk: 1 });
        yield* ask('insertRun', runInput());
      });
      await expectCode(failing, 'DATABASE_FAILED');
      expect(await readAll(store)).toEqual(before);
    });

    it('rejects when the program throws before it asks anything', async () => {
      const failure = new Error('no');
      const failing = store.commit(() => {
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
    });

    it('keeps the others when one of many concurrent programs throws', async () => {
      await withRuns(store);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) =>
          store.commit(function* () {
            yield* ask('insertEvent', eventInput({ seq: n }));
            yield* ask('countFault', { pk: 1 });
            if (n === 20) throw new Error('no');
            return n;
          }),
        ),
      );
      expect(outcomes.flatMap((one, n) => (one.status === 'rejected' ? [n] : []))).toEqual([20]);
      const kept = (await store.query('listEvents', { run: 1, after: -1, limit: 99 })).map(({ seq }) => seq);
      expect(kept).toEqual(Array.from({ length: 50 }, (_, n) => n).filter((n) => n !== 20));
      expect((await store.query('loadRun', { tenant: 1, id: 'r1' }))?.faults).toBe(49);
    });

    it('runs programs of one key one at a time, in the order in which they came', async () => {
      await withRuns(store);
      const order: string[] = [];
      const program = (n: number) =>
        store.commit(function* () {
          order.push(`${n} begins`);
          const row = yield* ask('loadRun', { tenant: 1, id: 'r1' });
          yield* ask('advanceRun', { ...(row as RunRow), seq: n + 1, was: n, wasDriver: noDriver });
          order.push(`${n} ends`);
        }, 'r1');
      await Promise.all([0, 1, 2].map(program));
      expect(order).toEqual(['0 begins', '0 ends', '1 begins', '1 ends', '2 begins', '2 ends']);
      expect((await store.query('loadRun', { tenant: 1, id: 'r1' }))?.seq).toBe(3);
    });

    it('takes a commit that is asked for while another runs', async () => {
      let inner: Promise<unknown> = Promise.reject(new Error('never asked'));
      inner.catch(() => {});
      await store.commit(function* () {
        inner = put(store, 'insertSession', { tenant: 1, key: 's2', user: null, at: 6 });
        yield* ask('insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
      });
      expect(await inner).toEqual({ pk: 2 });
    });

    it('lets timers and sockets have their turn in an endless loop of commits', async () => {
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
      }, 5);
      onTestFinished(() => clearTimeout(timer));
      // Far more than a store makes until the timer is due.
      for (let commits = 0; !isOver && commits < 200_000; commits++)
        await put(store, 'countFault', { pk: 1 });
      expect(isOver).toBe(true);
    });
  });

  describe('rows', () => {
    it('are not those that a caller holds', async () => {
      await populate(store);
      const before = structuredClone(await readAll(store));
      for (const answer of await readAll(store)) for (const row of [answer].flat()) spoil(row);
      expect(await readAll(store)).toEqual(before);
    });

    it('are not those that a caller has written', async () => {
      await withRuns(store);
      const effect = effectInput();
      await put(store, 'insertEffect', effect);
      effect.name = 'spoiled';
      expect(await store.query('findEffect', { run: 1, n: 1 })).toMatchObject({ name: 'think' });
    });
  });

  describe('close', () => {
    it('finishes what was asked for before', async () => {
      const asked = put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
      await store.close();
      expect(await asked).toEqual({ pk: 1 });
    });

    it('refuses what is asked for afterwards', async () => {
      await store.close();
      await expectCode(put(store, 'insertDriver', driverInput()), 'CLOSED');
      await expectCode(store.query('listDrivers', {}), 'CLOSED');
      await store.close();
    });
  });
}

function spoil(row: unknown): void {
  if (typeof row === 'object' && row !== null)
    for (const key of Object.keys(row)) Object.assign(row, { [key]: 'x' });
}
