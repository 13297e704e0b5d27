import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import {
  allOfRun,
  eventInput,
  every,
  messageInput,
  put,
  requestKeyInput,
  runInput,
  withRuns,
} from '../rows.ts';
import { expectCode } from '../support.ts';
import { populate } from './everything.ts';

export function describeSessions(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('sessions', () => {
    it('begins with its head before everything', async () => {
      const made = await put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
      expect(made).toEqual({ pk: 1 });
      expect(await store.query('findSession', { tenant: 1, key: 's1' })).toEqual({
        pk: 1,
        user: null,
        headRun: 0,
        headSeq: 0,
        prunedRun: 0,
        prunedSeq: 0,
        title: null,
        pinned: 0,
      });
    });

    it('moves the head and the pruning, each alone', async () => {
      await put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
      expect(await put(store, 'moveSessionHead', { session: 1, run: 3, seq: 7 })).toBe(1);
      const found = { pk: 1, headRun: 3, headSeq: 7, prunedRun: 0, prunedSeq: 0 };
      expect(await store.query('findSession', { tenant: 1, key: 's1' })).toMatchObject(found);
      expect(await put(store, 'moveSessionHead', { session: 9, run: 3, seq: 7 })).toBe(0);
      expect(await put(store, 'moveSessionPruning', { session: 1, run: 4, seq: 8 })).toBe(1);
      expect(await store.query('findSession', { tenant: 1, key: 's1' })).toEqual({
        pk: 1,
        user: null,
        headRun: 3,
        headSeq: 7,
        prunedRun: 4,
        prunedSeq: 8,
        title: null,
        pinned: 0,
      });
      expect(await put(store, 'moveSessionPruning', { session: 9, run: 3, seq: 7 })).toBe(0);
    });

    it('is called by the words of a person, and is pinned', async () => {
      await put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
      expect(await put(store, 'nameSession', { session: 1, title: 'Bills', pinned: 1 })).toBe(1);
      const named = { title: 'Bills', pinned: 1 };
      expect(await store.query('findSession', { tenant: 1, key: 's1' })).toMatchObject(named);
      expect(await store.query('describeSession', { session: 1 })).toMatchObject(named);
      expect(await put(store, 'nameSession', { session: 9, title: null, pinned: 0 })).toBe(0);
    });

    it('has one session for a key and a tenant', async () => {
      await put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
      await expectCode(
        put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 6 }),
        'DATABASE_FAILED',
      );
      const { pk } = await put(store, 'insertSession', { tenant: 2, key: 's1', user: null, at: 6 });
      expect(pk).toBeGreaterThan(1);
    });

    it('tells how many messages it has and when it last moved', async () => {
      expect(await store.query('describeSession', { session: 1 })).toBeUndefined();
      await put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
      const empty = {
        createdAt: 5,
        title: null,
        pinned: 0,
        user: null,
        messages: 0,
        forks: 0,
        updatedAt: null,
      };
      expect(await store.query('describeSession', { session: 1 })).toEqual(empty);
      await put(store, 'insertRun', runInput({ id: 'r1', ordinal: 1, createdAt: 20 }));
      const options = JSON.stringify({ forkedFrom: { runId: 'r1', seq: 1 } });
      await put(store, 'insertRun', runInput({ id: 'r2', ordinal: 2, createdAt: 10, options }));
      await put(store, 'insertMessage', messageInput());
      await put(store, 'insertMessage', messageInput({ run: 2 }));
      await put(store, 'insertMessage', messageInput({ run: 2, i: 1, role: 'summary' }));
      expect(await store.query('describeSession', { session: 1 })).toEqual({
        ...empty,
        messages: 2,
        forks: 1,
        updatedAt: 20,
      });
    });

    it('loses one run, with its messages if they are deleted, too', async () => {
      await populate(store);
      expect(await put(store, 'deleteRun', { run: 1 })).toBe(1);
      expect(await store.query('loadRun', { tenant: 1, id: 'r1' })).toBeUndefined();
      expect(await store.query('findArtifact', { tenant: 1, id: 'a1' })).toBeUndefined();
      expect(await store.query('listEvents', { run: 1, after: 0, limit: 9 })).toEqual([]);
      expect((await store.query('listRunsOf', { session: 1, limit: 9 })).map(({ id }) => id)).toEqual(['r2']);
      await put(store, 'insertMessage', messageInput({ run: 2, seq: 7 }));
      const ofRun = () => store.query('pageMessagesOfRun', { ...allOfRun, session: 1, run: 1 });
      const before = await ofRun();
      expect(before.length).toBeGreaterThan(0);
      expect(await put(store, 'deleteMessagesOfRun', { session: 1, run: 1 })).toBe(before.length);
      expect(await ofRun()).toEqual([]);
      expect((await store.query('listMessages', { session: 1, run: 0, seq: 0 })).length).toBeGreaterThan(0);
    });

    it('is deleted with all that belongs to it, and with nothing else', async () => {
      await populate(store);
      await put(store, 'insertSession', { tenant: 1, key: 's2', user: null, at: 6 });
      await put(store, 'insertRun', runInput({ id: 'other', session: 2 }));
      await put(store, 'insertEvent', eventInput({ run: 3 }));
      await put(store, 'insertRequestKey', requestKeyInput({ run: 3, name: 'k3' }));
      await put(store, 'setTimer', { run: 3, tenant: 1, id: 'a', event: 'a.due', dueAt: 9 });
      await put(store, 'insertMessage', messageInput({ session: 2, run: 3 }));
      await expectCode(put(store, 'deleteSession', { session: 1 }), 'DATABASE_FAILED');
      expect(await put(store, 'deleteRunsOf', { session: 1 })).toBe(2);
      expect(await put(store, 'deleteRunsOf', { session: 1 })).toBe(0);
      expect(await put(store, 'deleteSession', { session: 1 })).toBe(1);
      expect(await put(store, 'deleteSession', { session: 1 })).toBe(0);
      expect(await store.query('loadRun', { tenant: 1, id: 'r1' })).toBeUndefined();
      expect(await store.query('findSession', { tenant: 1, key: 's1' })).toBeUndefined();
      expect(await store.query('findArtifact', { tenant: 1, id: 'a1' })).toBeUndefined();
      expect(await store.query('findHold', { run: 1, n: 1 })).toBeUndefined();
      expect(await store.query('findCommand', { id: 1 })).toBeUndefined();
      expect(await store.query('listBudgets', { tenant: 1, day: '', month: '', now: 0 })).toMatchObject([
        { id: 'b1', holds: 0, heldTokens: 0 },
      ]);
      expect(await store.query('listUsageOf', { tenant: 1, runId: 'r1' })).toHaveLength(1);
      expect(await store.query('listMessages', { session: 1, run: 0, seq: 0 })).toEqual([]);
      for (const name of ['listEffects', 'listTimers', 'listConfirmations'] as const)
        expect(await store.query(name, { run: 1 })).toEqual([]);
      expect(await store.query('listEvents', { run: 1, after: 0, limit: 9 })).toEqual([]);
      expect(await store.query('findRequestKey', { tenant: 1, name: 'k1' })).toBeUndefined();
      const due = await store.query('listSoonestTimers', { before: 100, limit: 9 });
      expect(due.map(({ run }) => run)).toEqual([3]);
      expect(await store.query('listEvents', { run: 3, after: 0, limit: 9 })).toHaveLength(1);
      expect(await store.query('findRequestKey', { tenant: 1, name: 'k3' })).toMatchObject({ run: 3 });
      expect(await store.query('listMessages', { session: 2, run: 0, seq: 0 })).toHaveLength(1);
    });

    it('leaves its name and its place free, but its number and those of its runs to no other', async () => {
      await withRuns(store, 2);
      await put(store, 'deleteRunsOf', { session: 1 });
      await put(store, 'deleteSession', { session: 1 });
      expect(await put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 6 })).toEqual({
        pk: 2,
      });
      expect(await put(store, 'insertRun', runInput({ session: 2 }))).toEqual({ pk: 3 });
      await put(store, 'deleteRunsOf', { session: 2 });
      expect(await put(store, 'insertRun', runInput({ session: 2 }))).toEqual({ pk: 4 });
      expect(await store.query('listSessions', { tenant: 1, ...every, limit: 9 })).toEqual([
        { pk: 2, key: 's1', createdAt: 6, runs: 1 },
      ]);
    });

    it('belongs to a user, or to none, and its runs with it', async () => {
      await withRuns(store);
      await put(store, 'insertSession', { tenant: 1, key: 's2', user: 'ada', at: 6 });
      await put(store, 'insertSession', { tenant: 1, key: 's3', user: 'bob', at: 7 });
      await put(store, 'insertRun', runInput({ id: 'r2', session: 2 }));
      await put(store, 'insertRun', runInput({ id: 'r3', session: 3 }));
      await put(store, 'insertRun', runInput({ id: 'r4', session: 2, ordinal: 2 }));
      expect((await store.query('findSession', { tenant: 1, key: 's2' }))?.user).toBe('ada');
      expect((await store.query('loadRun', { tenant: 1, id: 'r2' }))?.user).toBe('ada');
      expect(await store.query('findRunOwner', { tenant: 1, id: 'r3', reach: null })).toEqual({
        sessionKey: 's3',
        user: 'bob',
      });
      expect(await store.query('findRunOwner', { tenant: 1, id: 'r1', reach: null })).toEqual({
        sessionKey: 's1',
        user: null,
      });
      expect(await store.query('findRunOwner', { tenant: 2, id: 'r3', reach: null })).toBeUndefined();
      const sessions = async (user: string) =>
        (await store.query('listUserSessions', { tenant: 1, user, ...every, limit: 9 })).map(
          (row) => row.key,
        );
      expect(await sessions('ada')).toEqual(['s2']);
      expect(await sessions('eve')).toEqual([]);
      const runs = async (user: string, limit = 9, below = 9) =>
        (await store.query('listUserRunsBefore', { tenant: 1, user, below, limit })).map(({ id }) => id);
      expect(await runs('ada')).toEqual(['r4', 'r2']);
      // The limit counts the runs of the user alone.
      expect(await runs('ada', 2)).toEqual(['r4', 'r2']);
      expect(await runs('ada', 9, 4)).toEqual(['r2']);
      expect(await runs('eve')).toEqual([]);
      const elsewhere = { tenant: 2, user: 'ada', below: 9, limit: 9 };
      expect(await store.query('listUserRunsBefore', elsewhere)).toEqual([]);
    });

    it('lists the newest first, with their number of runs', async () => {
      await withRuns(store, 2);
      await put(store, 'insertSession', { tenant: 1, key: 's2', user: null, at: 6 });
      const [newer, older] = [
        { pk: 2, key: 's2', createdAt: 6, runs: 0 },
        { pk: 1, key: 's1', createdAt: 5, runs: 2 },
      ];
      expect(await store.query('listSessions', { tenant: 1, ...every, limit: 9 })).toEqual([newer, older]);
      expect(await store.query('listSessions', { tenant: 1, ...every, limit: 1 })).toEqual([newer]);
      expect(await store.query('listSessions', { tenant: 1, ...every, limit: 0 })).toEqual([]);
    });
  });
}
