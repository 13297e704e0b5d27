import { describe, expect, it, vi } from 'vitest';
import { createInProcessStore } from '../../../src/store/in-process/index.ts';
import { describeStore } from '../conformance.ts';
import { driverInput, put } from '../rows.ts';
import { otherTenant } from '../two-tenants.ts';

describeStore('in-process store', async () => {
  const store = createInProcessStore();
  await put(store, 'insertTenant', otherTenant);
  return store;
});

describe('in-process store', () => {
  it('shares nothing with another', async () => {
    const store = createInProcessStore();
    await put(store, 'insertDriver', driverInput());
    expect(await createInProcessStore().query('listDrivers', {})).toEqual([]);
  });

  it('commits although a test fakes the timers', async () => {
    vi.useFakeTimers();
    try {
      const store = createInProcessStore();
      for (let pid = 1; pid <= 200; pid++) await put(store, 'insertDriver', driverInput({ pid }));
      expect(await store.query('findDriver', { epoch: 200 })).toMatchObject({ pid: 200 });
    } finally {
      vi.useRealTimers();
    }
  });
});
