import { beforeEach, describe, expect, it } from 'vitest';
import type { In } from '../../../src/store/statements.ts';
import type { Store } from '../../../src/store/store.ts';
import { put, usageInput } from '../rows.ts';

export function describeUsage(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('the ledger', () => {
    const write = (over: Partial<In<'insertUsage'>> = {}) => put(store, 'insertUsage', usageInput(over));
    const sum = (over: Partial<In<'sumUsage'>> = {}) => {
      const everything = {
        from: 0,
        to: 1_000,
        sessionKey: null,
        user: null,
        runId: null,
        reach: null,
        limit: 9,
      };
      return store.query('sumUsage', { tenant: 1, by: 'all', ...everything, ...over });
    };
    const keys = async (over: Partial<In<'sumUsage'>>) =>
      (await sum(over)).map(({ key, calls }) => [key, calls]);

    it('counts a call once, and needs no run for it', async () => {
      expect(await write()).toBe(1);
      expect(await write({ inputTokens: 999 })).toBe(0);
      expect(await write({ i: 1, answered: null, costUsd: null, error: 'PROVIDER_FAILED' })).toBe(1);
      const { tenant, ...row } = usageInput();
      expect(await store.query('listUsageOf', { tenant: 1, runId: 'r1' })).toEqual([
        { ...row, user: null },
        { ...row, user: null, i: 1, answered: null, costUsd: null, error: 'PROVIDER_FAILED' },
      ]);
      expect(await store.query('listUsageOf', { tenant: 1, runId: 'r2' })).toEqual([]);
    });

    it('adds up what is known', async () => {
      await write();
      await write({ n: 2, costUsd: null, error: 'TIMEOUT', estimated: 1 });
      await write({ n: 3, costUsd: 0, cached: 1 });
      expect(await sum()).toEqual([
        {
          key: '',
          calls: 3,
          failed: 1,
          cached: 1,
          unpriced: 1,
          estimated: 1,
          inputTokens: 300,
          outputTokens: 30,
          cachedInputTokens: 12,
          cacheWriteTokens: 6,
          reasoningTokens: 3,
          costUsd: 0.5,
        },
      ]);
    });

    it('knows no cost where tokens have no price, and none where nothing was used', async () => {
      await write({ costUsd: null });
      await write({ n: 2, runId: 'r0', inputTokens: 0, outputTokens: 0, costUsd: null, error: 'TIMEOUT' });
      const known = (await sum({ by: 'run' })).map(({ key, costUsd }) => [key, costUsd]);
      expect(new Map(known as [string, number | null][])).toEqual(
        new Map([
          ['r1', null],
          ['r0', 0],
        ]),
      );
    });

    it('groups by day, model, session, run and purpose, the one used last first', async () => {
      await write({ at: 1, day: '2026-01-01', asked: 'p/b', sessionKey: 's2', purpose: 'flush' });
      await write({ at: 2, day: '2026-01-02', asked: 'p/a', sessionKey: 's1', purpose: 'compact' });
      await write({ at: 3, day: '2026-01-01', asked: 'p/b', sessionKey: 's2', runId: 'r0' });
      expect(await keys({ by: 'day' })).toEqual([
        ['2026-01-01', 2],
        ['2026-01-02', 1],
      ]);
      expect(await keys({ by: 'model' })).toEqual([
        ['p/b', 2],
        ['p/a', 1],
      ]);
      expect(await keys({ by: 'session' })).toEqual([
        ['s2', 2],
        ['s1', 1],
      ]);
      expect(await keys({ by: 'run' })).toEqual([
        ['r0', 1],
        ['r1', 2],
      ]);
      expect(await keys({ by: 'purpose', limit: 2 })).toEqual([
        ['think', 1],
        ['compact', 1],
      ]);
    });

    it('tells of a time, a session, a run, and of nothing', async () => {
      await write({ n: 1, at: 10, sessionKey: 's1', runId: 'r1' });
      await write({ n: 1, at: 20, sessionKey: 's1', runId: 'r2' });
      await write({ n: 1, at: 30, sessionKey: 's2', runId: 'r3' });
      expect(await keys({ by: 'run', from: 10, to: 20 })).toEqual([['r1', 1]]);
      expect(await keys({ by: 'run', from: 11 })).toEqual([
        ['r3', 1],
        ['r2', 1],
      ]);
      expect(await keys({ by: 'session', sessionKey: 's1' })).toEqual([['s1', 2]]);
      expect(await keys({ by: 'run', sessionKey: 's1', runId: 'r2' })).toEqual([['r2', 1]]);
      expect(await sum({ runId: 'r2', sessionKey: 's2' })).toEqual([]);
    });

    it('forgets whose calls they were, and keeps what they cost', async () => {
      await write();
      await write({ n: 2, at: 999, sessionKey: 's2' });
      await write({ tenant: 2 });
      expect(await put(store, 'forgetSessionUsage', { tenant: 1, sessionKey: 's1' })).toBe(1);
      expect(await put(store, 'forgetSessionUsage', { tenant: 1, sessionKey: 's1' })).toBe(0);
      expect(await keys({ by: 'session' })).toEqual([
        ['s2', 1],
        ['', 1],
      ]);
      expect(await store.query('listUsageOf', { tenant: 1, runId: 'r1' })).toMatchObject([
        { n: 1, sessionKey: '' },
        { n: 2, sessionKey: 's2' },
      ]);
      expect(await keys({ by: 'session', tenant: 2 })).toEqual([['s1', 1]]);
    });

    it('forgets whose calls those of one run were', async () => {
      await write({ at: 5 });
      await write({ at: 6, runId: 'r2' });
      await write({ at: 9 });
      const run = { tenant: 1, runId: 'r1', from: 5 };
      expect(await put(store, 'forgetRunUsage', { ...run, to: 8 })).toBe(1);
      expect(await keys({ by: 'session' })).toEqual([
        ['s1', 2],
        ['', 1],
      ]);
      expect(await put(store, 'forgetRunUsage', { ...run, to: 9 })).toBe(2);
      expect((await store.query('listUsageOf', { tenant: 1, runId: 'r2' }))[0]?.sessionKey).toBe('s1');
    });

    it('knows the user of the session, also once that is deleted', async () => {
      const session = { tenant: 1, at: 5 };
      await put(store, 'insertSession', { ...session, key: 'hers', user: 'ada' });
      await put(store, 'insertSession', { ...session, key: 'his', user: 'bob' });
      await put(store, 'insertSession', { ...session, tenant: 2, key: 'hers', user: 'eve' });
      await write({ at: 1, sessionKey: 'hers' });
      await write({ at: 2, sessionKey: 'his' });
      await write({ at: 3, sessionKey: 's1' });
      await write({ at: 4, sessionKey: 'hers' });
      await put(store, 'forgetSessionUsage', { tenant: 1, sessionKey: 'hers' });
      expect(await keys({ by: 'user' })).toEqual([
        ['ada', 2],
        ['', 1],
        ['bob', 1],
      ]);
      expect(await keys({ by: 'session', user: 'ada' })).toEqual([['', 2]]);
      expect(await keys({ user: 'eve' })).toEqual([]);
      expect((await store.query('listUsageOf', { tenant: 1, runId: 'r1' })).map(({ user }) => user)).toEqual([
        'ada',
        'bob',
        null,
        'ada',
      ]);
    });

    it('is of one tenant', async () => {
      await write();
      expect(await write({ tenant: 2, inputTokens: 7 })).toBe(1);
      expect(await sum({ tenant: 2 })).toMatchObject([{ calls: 1, inputTokens: 7 }]);
      expect(await sum()).toMatchObject([{ calls: 1, inputTokens: 100 }]);
      expect(await store.query('listUsageOf', { tenant: 2, runId: 'r1' })).toHaveLength(1);
    });
  });
}
