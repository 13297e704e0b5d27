import { describe, expect, it, vi } from 'vitest';
import { createInProcessStore } from '../../../src/store/in-process/index.ts';
import { describeStore } from '../conformance.ts';
import { put } from '../rows.ts';

describeStore('in-process store', async () => createInProcessStore());

describe('in-process store', () => {
  it('shares nothing with another', async () => {
    const store = createInProcessStore();
    await put(store, 'insertDriver', { pid: 1, at: 1 });
    expect(await createInProcessStore().query('lastDriver', {})).toBeUndefined();
  });

  it('commits although a test fakes the timers', async () => {
    vi.useFakeTimers();
    try {
      const store = createInProcessStore();
      for (let pid = 1; pid <= 200; pid++) await put(store, 'insertDriver', { pid, at: 1 });
      expect(await store.query('lastDriver', {})).toEqual({ epoch: 200, pid: 200 });
    } finally {
      vi.useRealTimers();
    }
  });
});
