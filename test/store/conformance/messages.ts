import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { messageInput, put, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeMessages(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('messages', () => {
    /** Run, seq and place: `2.1.0`. */
    const places = (rows: { run: number; seq: number; i: number }[]) =>
      rows.map(({ run, seq, i }) => `${run}.${seq}.${i}`);
    const write = async () => {
      await withRuns(store, 2);
      for (const [run, seq, i] of [
        [2, 1, 0],
        [1, 2, 1],
        [1, 2, 0],
        [1, 10, 0],
        [1, 1, 0],
      ] as const)
        expect(await put(store, 'insertMessage', messageInput({ run, seq, i }))).toBe(1);
    };

    it('reads a session in order of writing, from a place on', async () => {
      await write();
      const from = async (run: number, seq: number) =>
        places(await store.query('listMessages', { session: 1, run, seq }));
      expect(await from(0, 0)).toEqual(['1.1.0', '1.2.0', '1.2.1', '1.10.0', '2.1.0']);
      expect(await from(1, 2)).toEqual(['1.2.0', '1.2.1', '1.10.0', '2.1.0']);
      expect(await from(1, 3)).toEqual(['1.10.0', '2.1.0']);
      expect(await from(1, 11)).toEqual(['2.1.0']);
      expect(await from(2, 0)).toEqual(['2.1.0']);
      expect(await from(2, 2)).toEqual([]);
    });

    it('reads a page of those of one run: behind a place, up to a transition, until it is full', async () => {
      await write();
      const page = async (seq: number, i: number, upTo: number, maxBytes = 1_000, run = 1) =>
        places(await store.query('pageMessagesOfRun', { session: 1, run, seq, i, upTo, maxBytes }));
      expect(await page(-1, 0, 99)).toEqual(['1.1.0', '1.2.0', '1.2.1', '1.10.0']);
      expect(await page(2, 0, 9)).toEqual(['1.2.1']);
      expect(await page(1, 0, 99, 1)).toEqual(['1.2.0']);
      expect(await page(10, 0, 99)).toEqual([]);
      expect(await page(-1, 0, 99, 1_000, 2)).toEqual(['2.1.0']);
      expect(await page(-1, 0, 99, 1_000, 3)).toEqual([]);
    });

    it('reads those before a run, the newest first', async () => {
      await write();
      const earlier = async (run: number, limit: number) =>
        places(await store.query('listMessagesBefore', { session: 1, run, limit }));
      expect(await earlier(2, 9)).toEqual(['1.10.0', '1.2.1', '1.2.0', '1.1.0']);
      expect(await earlier(2, 2)).toEqual(['1.10.0', '1.2.1']);
      expect(await earlier(1, 9)).toEqual([]);
    });

    it('reads back what was written', async () => {
      await withRuns(store);
      const written = messageInput({ role: 'tool', body: '{"text":"漢字 🚀"}' });
      await put(store, 'insertMessage', written);
      const { tenant, ...row } = written;
      expect(await store.query('listMessages', { session: 1, run: 0, seq: 0 })).toEqual([row]);
    });

    it('finds the last summary', async () => {
      await write();
      expect(await store.query('lastSummary', { session: 1 })).toBeUndefined();
      for (const [run, seq, i] of [
        [2, 3, 1],
        [1, 11, 0],
        [2, 3, 0],
      ] as const)
        await put(store, 'insertMessage', messageInput({ run, seq, i, role: 'summary' }));
      await put(store, 'insertMessage', messageInput({ run: 2, seq: 4 }));
      expect(await store.query('lastSummary', { session: 1 })).toMatchObject({ run: 2, seq: 3, i: 1 });
      expect(places(await store.query('listSummaries', { session: 1 })).at(-1)).toBe('2.3.1');
      expect((await store.query('listSummaries', { session: 1 })).map(({ role }) => role)).toEqual(
        Array(3).fill('summary'),
      );
    });

    it('refuses a second message in the same place, and one of no session', async () => {
      await write();
      await expectCode(put(store, 'insertMessage', messageInput()), 'DATABASE_FAILED');
      await expectCode(put(store, 'insertMessage', messageInput({ session: 9 })), 'DATABASE_FAILED');
    });
  });
}
